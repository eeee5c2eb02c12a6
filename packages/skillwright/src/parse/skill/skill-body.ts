import { locateFrontmatter } from '../frontmatter/frontmatter-block.ts';
import { decodeUtf8 } from '../utf8.ts';

/** The instructions below the frontmatter, as written, or the offset of the first byte that is not UTF-8. */
type SkillBody = { readonly ok: true; readonly body: string } | { readonly ok: false; readonly offset: number };

/** Returns the text of a SKILL.md below its frontmatter. */
export function parseSkillBody(bytes: Uint8Array): SkillBody {
  const start = bodyStartOf(bytes);
  const decoded = decodeUtf8(bytes.subarray(start));
  return decoded.ok ? { ok: true, body: decoded.text } : { ok: false, offset: start + decoded.offset };
}

function bodyStartOf(bytes: Uint8Array): number {
  const block = locateFrontmatter(bytes);
  if (block.kind === 'open') return openBlockEnd(bytes, block.start);
  return block.bodyStart === -1 ? bytes.length : block.bodyStart;
}

/** Where an unclosed frontmatter is assumed to end: at the first blank line or heading. */
export function openBlockEnd(bytes: Uint8Array, start: number): number {
  let lineStart = start;
  while (lineStart < bytes.length) {
    const newline = bytes.indexOf(10, lineStart);
    const lineEnd = newline === -1 ? bytes.length : newline;
    const isBlank = bytes.subarray(lineStart, lineEnd).every((byte) => byte === 32 || byte === 9 || byte === 13);
    if (isBlank || bytes[lineStart] === 35) return lineStart;
    lineStart = lineEnd + 1;
  }
  return bytes.length;
}

import { locateFrontmatter } from '../frontmatter/frontmatter-block.ts';
import { decodeUtf8 } from '../utf8.ts';
import { SPEC_LIMITS } from '../../spec/limits.ts';

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

/**
 * The first paragraph of prose in a markdown text, on one line and limited to the length of a description. Falls back
 * to a heading, then to a line of code, then to `undefined`.
 */
export function firstParagraph(markdown: string): string | undefined {
  const lines = markdown.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '').split('\n');
  let heading: string | undefined;
  let fence: string | undefined;
  let code: string | undefined;
  const paragraph: string[] = [];
  for (const raw of lines) {
    const line = raw.trim();
    const mark = /^(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3);
    if (fence !== undefined || mark !== undefined) {
      if (paragraph.length > 0) break;
      if (mark === undefined && line !== '') code ??= line;
      fence = fence === undefined ? mark : mark === fence ? undefined : fence;
      continue;
    }
    const title = headingText(line);
    const isProse = line !== '' && title === undefined && !/^(?:-{3,}|={3,}|\*{3,}|_{3,})$/.test(line);
    if (isProse) paragraph.push(line);
    else if (paragraph.length > 0) break;
    heading ??= title === '' ? undefined : title;
  }
  const text = paragraph.length > 0 ? paragraph.join(' ') : (heading ?? code);
  return text === undefined ? undefined : cut(text);
}

/** The text of a heading, without the marks before and after it; `undefined` for other lines. */
function headingText(line: string): string | undefined {
  const marks = /^#{1,6}(?=\s)/.exec(line)?.[0];
  if (marks === undefined) return undefined;
  let end = line.length;
  while (end > marks.length && line[end - 1] === '#') end -= 1;
  return line.slice(marks.length, end).trim();
}

function cut(text: string): string {
  return text.length <= SPEC_LIMITS.description
    ? text
    : `${text
        .slice(0, SPEC_LIMITS.description - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

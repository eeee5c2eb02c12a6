import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../../spec/diagnostics/diagnostic-data.ts';
import type { SkillFields } from '../../spec/skill.ts';
import { openBlockEnd } from './skill-body.ts';
import { describeText } from './text-description.ts';
import { locateFrontmatter, type FrontmatterBlock } from '../frontmatter/frontmatter-block.ts';
import { conflictLine, mayHaveConflict, resolveConflicts } from '../frontmatter/merge-conflict.ts';
import { lineOfKey, readFrontmatter, type FrontmatterSource } from '../frontmatter/frontmatter.ts';
import { readSkillFields } from './skill-fields.ts';
import { isDeviceName, nameProblem } from './skill-name.ts';
import { decodeUtf8, decodeUtf8Head } from '../utf8.ts';

/** The first bytes of a SKILL.md, and a way to get more of them. */
export interface SkillHeadSource {
  readonly bytes: Uint8Array;
  /** How many of `bytes` belong to the file. */
  readonly length: number;
  /** Whether `bytes` is the whole file. */
  readonly complete: boolean;
  readonly path: string;
  readonly directoryName: string;
  readonly strict: boolean;
  readonly maxFrontmatterBytes: number;
  readonly readMore: (maxBytes: number) => Uint8Array;
}

export interface SkillHead {
  readonly name: string;
  readonly description: string;
  readonly fields: SkillFields;
}

interface HeadContext extends SkillHeadSource {
  readonly diagnostics: Diagnostic[];
  /** Set once the frontmatter is read, to look up the line of a field. */
  frontmatter: FrontmatterSource | undefined;
}

/**
 * The parts of a SKILL.md that discovery needs: its fields, a name and a description. `undefined` if the skill is
 * refused; an error in the diagnostics then says why.
 */
export function parseSkillHead(source: SkillHeadSource, diagnostics: Diagnostic[]): SkillHead | undefined {
  const before = diagnostics.length;
  const head = readHead({
    bytes: source.bytes,
    length: source.length,
    complete: source.complete,
    path: source.path,
    directoryName: source.directoryName,
    strict: source.strict,
    maxFrontmatterBytes: source.maxFrontmatterBytes,
    readMore: source.readMore,
    diagnostics,
    frontmatter: undefined,
  });
  if (head === undefined || !source.strict) return head;
  const violated = diagnostics.slice(before).some((diagnostic) => diagnostic.severity === 'error');
  return violated ? undefined : head;
}

function readHead(source: HeadContext): SkillHead | undefined {
  if (source.length === 0 || isBlank(source)) {
    return refuse(source, 'file-empty', 'SKILL.md is empty.');
  }
  const block = locateFrontmatter(source.bytes, source.length, source.complete);
  if (block.kind === 'found') return readBlock(source, block);
  if (block.kind === 'none') return readWithoutFrontmatter(source, block.bodyStart);
  return readUnclosed(source);
}

function readBlock(source: HeadContext, block: FrontmatterBlock & { kind: 'found' }): SkillHead | undefined {
  const { path, strict, diagnostics } = source;
  const decoded = decodeUtf8(source.bytes, block.start, block.end);
  if (!decoded.ok) return refuseMalformed(source, block.start + decoded.offset);
  if (block.leadingBlank) {
    report(source, 'frontmatter-leading-blank', 1, 'There are blank lines before the frontmatter.');
  }
  const text = withoutConflicts(source, decoded.text, block.firstLine);
  const frontmatter = { text, path, strict, firstLine: block.firstLine, isPrintable: block.isPrintable };
  const fields = readSkillFields(readFrontmatter(frontmatter, diagnostics), frontmatter, diagnostics);
  source.frontmatter = frontmatter;
  reportSecondBlock(source, block);
  return finish(source, fields, block.bodyStart);
}

/** Takes one side of each merge conflict in a text. `firstLine` is the line of the file at which the text begins. */
function withoutConflicts(source: HeadContext, text: string, firstLine: number): string {
  const resolved = mayHaveConflict(text) ? resolveConflicts(text) : undefined;
  if (resolved === undefined) return text;
  const { line, count } = resolved;
  const which = count === 1 ? 'a merge conflict' : `${count} merge conflicts`;
  const message = `SKILL.md contains the markers of ${which}; the first version is read.`;
  report(source, 'merge-conflict', firstLine + line - 1, message);
  return resolved.text;
}

/** Sets the skill's name and description, and checks both. */
function finish(source: HeadContext, fields: SkillFields, bodyStart: number): SkillHead | undefined {
  const description = fields.description ?? describeFromBody(source, bodyStart);
  if (description === undefined) return undefined;
  return { name: nameFrom(source, fields.name), description, fields };
}

function nameFrom(source: HeadContext, name: string | undefined): string {
  const { directoryName } = source;
  if (name === undefined || name === '') {
    report(
      source,
      'name-missing',
      source.frontmatter?.firstLine ?? 1,
      `The name is missing; the directory name '${directoryName}' is used.`,
    );
    return printable(directoryName);
  }
  if (name.includes(':')) {
    report(
      source,
      'name-reserved',
      nameLine(source),
      `The name '${name}' contains a colon, so the skill's name is '${directoryName}'.`,
    );
    return printable(directoryName);
  }
  const problem = nameProblem(name);
  if (problem !== undefined) report(source, 'name-invalid', nameLine(source), `The name '${name}' ${problem}.`);
  if (name !== directoryName && name.normalize('NFKC') !== directoryName.normalize('NFKC')) {
    report(
      source,
      'name-mismatch',
      nameLine(source),
      `The name '${name}' differs from the directory name '${directoryName}'.`,
    );
  }
  if (isDeviceName(name))
    report(source, 'name-device', nameLine(source), `The name '${name}' is a reserved device name on Windows.`);
  return hasControl(name) ? printable(directoryName) : name;
}

function printable(name: string): string {
  return name.replaceAll(/\p{Cc}|:/gu, '-');
}

function nameLine(source: HeadContext): number {
  return source.frontmatter === undefined ? 1 : lineOfKey(source.frontmatter, 'name');
}

function hasControl(name: string): boolean {
  return /\p{Cc}/u.test(name);
}

function describeFromBody(source: HeadContext, bodyStart: number): string | undefined {
  const bytes = source.complete ? source.bytes.subarray(0, source.length) : source.readMore(bodyStart + 65_536);
  const decoded = source.complete ? decodeUtf8(bytes, bodyStart) : decodeUtf8Head(bytes.subarray(bodyStart));
  if (!decoded.ok) return refuseMalformed({ ...source, bytes }, bodyStart + decoded.offset);
  const description = describeText(bodyWithoutConflicts(source, decoded.text, bytes.subarray(0, bodyStart)));
  if ((description?.text ?? decoded.text).includes('\0')) {
    return refuse(source, 'text-binary', 'SKILL.md contains NUL bytes, so it is not a text file.');
  }
  if (description === undefined) {
    return refuse(source, 'description-absent', 'The description is missing, and there is no text to use instead.');
  }
  const used = description.from === 'label' ? "'description' line in the text" : 'first paragraph of the instructions';
  report(source, 'description-missing', 1, `The frontmatter has no description; the ${used} is used.`);
  return description.text;
}

/** In the instructions, only a whole conflict outside of code blocks is a mistake. */
function bodyWithoutConflicts(source: HeadContext, body: string, before: Uint8Array): string {
  return conflictLine(body) === undefined ? body : withoutConflicts(source, body, lineCount(before));
}

function readWithoutFrontmatter(source: HeadContext, bodyStart: number): SkillHead | undefined {
  const resolved = withoutLeadingConflict(source, bodyStart);
  if (resolved !== undefined) return readHead(resolved);
  report(
    source,
    'frontmatter-missing',
    1,
    "SKILL.md has no frontmatter; the name is the directory's, and the description is taken from the text.",
  );
  return finish(source, {}, bodyStart);
}

/**
 * If the file begins with a merge conflict, its frontmatter is inside the conflict: returns the file with one side of
 * each conflict.
 */
function withoutLeadingConflict(source: HeadContext, bodyStart: number): HeadContext | undefined {
  const head = toLatin1(source.bytes.subarray(bodyStart, source.length));
  if (!/^\s{0,100}<{7}[ \r\n]/.test(head)) return undefined;
  const bytes = Buffer.from(withoutConflicts(source, head, 1), 'latin1');
  const readMore = (maxBytes: number): Uint8Array => {
    const more = toLatin1(source.readMore(maxBytes).subarray(bodyStart));
    return Buffer.from(resolveConflicts(more)?.text ?? more, 'latin1');
  };
  return { ...source, bytes, length: bytes.length, readMore };
}

/** Decodes as Latin-1, which preserves the bytes of any encoding. */
function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/**
 * Handles frontmatter that is not closed in the available bytes: reads more, and if it is still not closed, guesses its
 * end.
 */
function readUnclosed(source: HeadContext): SkillHead | undefined {
  const { maxFrontmatterBytes } = source;
  if (!source.complete) {
    const bytes = source.readMore(maxFrontmatterBytes + 1);
    const complete = bytes.length <= maxFrontmatterBytes;
    const block = locateFrontmatter(bytes, bytes.length, complete);
    if (block.kind === 'found') return readBlock({ ...source, bytes, length: bytes.length, complete }, block);
    if (!complete) {
      return refuse(
        source,
        'frontmatter-oversized',
        `The frontmatter is not closed within ${maxFrontmatterBytes} bytes.`,
      );
    }
    return readUnclosed({ ...source, bytes, length: bytes.length, complete });
  }
  const block = locateFrontmatter(source.bytes, source.length);
  if (block.kind === 'engine') return readEngine(source, block);
  return block.kind === 'open' ? readOpen(source, block) : undefined;
}

function readEngine(source: HeadContext, block: FrontmatterBlock & { kind: 'engine' }): SkillHead | undefined {
  const message = `The frontmatter opens with '---${block.engine}', which names a code engine; it was neither read nor executed.`;
  report(source, 'frontmatter-engine', block.line, message);
  return finish(source, {}, block.bodyStart === -1 ? source.length : block.bodyStart);
}

function readOpen(source: HeadContext, block: FrontmatterBlock & { kind: 'open' }): SkillHead | undefined {
  report(source, 'frontmatter-unclosed', block.firstLine - 1, 'The frontmatter has no closing line.');
  const end = openBlockEnd(source.bytes.subarray(0, source.length), block.start);
  return readBlock(source, { ...block, kind: 'found', end, bodyStart: end, isPrintable: false });
}

function reportSecondBlock(source: HeadContext, block: FrontmatterBlock & { kind: 'found' }): void {
  let next = block.bodyStart;
  while (source.bytes[next] === 10 || source.bytes[next] === 13) next += 1;
  if (source.bytes[next] !== 45) return;
  const second = locateFrontmatter(source.bytes.subarray(block.bodyStart, source.length), undefined, source.complete);
  if (second.kind !== 'found') return;
  const text = decodeUtf8Head(source.bytes.subarray(block.bodyStart + second.start, block.bodyStart + second.end));
  if (!text.ok || !/^[A-Za-z_][\w-]*:(?:\s|$)/m.test(text.text)) return;
  const before = source.bytes.subarray(0, block.bodyStart + second.start);
  report(
    source,
    'frontmatter-second',
    lineCount(before) - 1,
    'A second frontmatter block follows; only the first is read.',
  );
}

function lineCount(bytes: Uint8Array): number {
  let lines = 1;
  for (const byte of bytes) if (byte === 10) lines += 1;
  return lines;
}

function isBlank(source: SkillHeadSource): boolean {
  if (!source.complete || source.length > 256 || source.bytes[0] === 45) return false;
  const start = source.bytes[0] === 0xef && source.bytes[1] === 0xbb && source.bytes[2] === 0xbf ? 3 : 0;
  return source.bytes.subarray(start, source.length).every((byte) => byte === 32 || (byte >= 9 && byte <= 13));
}

function report(source: HeadContext, code: DiagnosticCode, line: number, message: string): void {
  const { path, strict } = source;
  source.diagnostics.push(createDiagnostic(code, { path, strict, line, message }));
}

function refuse(source: HeadContext, code: DiagnosticCode, message: string): undefined {
  source.diagnostics.push(createDiagnostic(code, { path: source.path, line: 1, message, severity: 'error' }));
}

function refuseMalformed(source: HeadContext, offset: number): undefined {
  const byte = (source.bytes[offset] ?? 0).toString(16).padStart(2, '0');
  const line = lineCount(source.bytes.subarray(0, offset));
  const message = `SKILL.md is not valid UTF-8: byte 0x${byte} at offset ${offset}.`;
  source.diagnostics.push(createDiagnostic('text-malformed', { path: source.path, line, message }));
}

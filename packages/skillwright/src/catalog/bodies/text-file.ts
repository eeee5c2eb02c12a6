import { SkillParsingError, SkillwrightError } from '../../spec/errors/error.ts';
import { decodeUtf8 } from '../../parse/utf8.ts';

/** Lines to read, 1-based and inclusive. Default: all. */
export interface LineRange {
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
}

/** The text of a bundled file, or some of its lines, without a byte order mark. */
export function readLines(bytes: Uint8Array, file: { skill: string; path: string }, range: LineRange): string {
  assertLine('startLine', range.startLine);
  assertLine('endLine', range.endLine);
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) {
    const message = `'${file.path}' of skill '${file.skill}' is not valid UTF-8: see the byte at offset ${decoded.offset}.`;
    throw new SkillParsingError('MalformedText', message, { data: { ...file, offset: decoded.offset } });
  }
  const text = decoded.text.startsWith('\uFEFF') ? decoded.text.slice(1) : decoded.text;
  if (range.startLine === undefined && range.endLine === undefined) return text;
  return text
    .split('\n')
    .slice((range.startLine ?? 1) - 1, range.endLine)
    .join('\n');
}

function assertLine(option: string, line: number | undefined): void {
  if (line === undefined || (Number.isSafeInteger(line) && line >= 1)) return;
  throw new SkillwrightError(
    'InvalidOptions',
    `Option '${option}' must be a line number from 1 up, not ${String(line)}.`,
    { data: { option } },
  );
}

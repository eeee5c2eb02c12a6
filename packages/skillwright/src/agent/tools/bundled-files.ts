import { posix } from 'node:path';
import { scriptPaths, toolHandledBy } from '../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { closestName, quotedNames } from '../../parse/closest-name.ts';
import type { SkillTool } from '../../spec/skill.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { readLines, type LineRange } from '../../catalog/bodies/skill-bodies.ts';
import { SkillInvocationError } from '../../spec/errors/error.ts';
import { refusedOutcome, textOutcome, type ToolOutcome } from './tool-outcome.ts';

const MAX_LISTED = 1_000;
const MAX_SHOWN = 10;
/** Limits paths in messages, because a model may send a path of any length. */
const MAX_PATH = 200;

/** The files of a skill that a model may have meant. */
interface FileChoice {
  /** The word for these files in messages. */
  readonly kind: 'script' | 'file';
  readonly paths: readonly string[];
}

/** The files that can be read, without SKILL.md itself. */
function readableFiles(record: SkillRecord): FileChoice {
  const { files } = record.files.list(MAX_LISTED);
  return { kind: 'file', paths: files.map(({ path }) => path).filter((path) => path.toLowerCase() !== 'skill.md') };
}

/** The files that can be run directly. Handlers of tools are not among them: the model calls their tools. */
export function scriptFiles(record: SkillRecord, limit: number = MAX_LISTED): FileChoice {
  return { kind: 'script', paths: scriptPaths(record, limit) };
}

/** The tool whose handler a path means, by the exact path or by the file's name alone. */
export function meantHandler(record: SkillRecord, written: string): SkillTool | undefined {
  const exact = toolHandledBy(record, written);
  if (exact !== undefined || !isBareName(written) || record.files.has(written)) return exact;
  return record.metadata.tools.find(({ script }) => script !== undefined && posix.basename(script) === written);
}

/**
 * The path of the file that the model means. A bare file name stands for the only file with that name; any other path
 * stays unchanged.
 */
export function meantPath(record: SkillRecord, written: string, choice: (record: SkillRecord) => FileChoice): string {
  if (!isBareName(written) || record.files.has(written)) return written;
  const [path, ...others] = choice(record).paths.filter((candidate) => posix.basename(candidate) === written);
  return path === undefined || others.length > 0 ? written : path;
}

function isBareName(written: string): boolean {
  return written !== '' && written.length <= MAX_PATH && !/[/\\\0]/.test(written) && !/^\.+$/.test(written);
}

/** The error for a missing file: names the most similar file and lists the existing ones. */
export function missingFileSentence(record: SkillRecord, written: string, { kind, paths }: FileChoice): string {
  const guess = closestPath(written, paths);
  return [
    `Skill '${record.metadata.name}' has no ${kind} '${written.slice(0, MAX_PATH)}'.`,
    ...(guess === undefined ? [] : [`Did you mean '${guess}'?`]),
    paths.length === 0 ? `The skill has no ${kind}s.` : `Its ${kind}s: [${quotedNames(paths, MAX_SHOWN)}]`,
  ].join(' ');
}

/** Compares whole paths first, then file names alone. */
function closestPath(written: string, paths: readonly string[]): string | undefined {
  const whole = closestName(written, paths);
  if (whole !== undefined) return whole;
  const names = paths.map((path) => posix.basename(path));
  const name = closestName(posix.basename(written.slice(-MAX_PATH)), names);
  return name === undefined ? undefined : paths[names.indexOf(name)];
}

/** The most characters of a file that one call puts into the conversation. */
const MAX_CHARACTERS = 100_000;

interface ReadRequest extends LineRange {
  readonly record: SkillRecord;
  /** The path or file name, as the model wrote it. */
  readonly path: string;
  readonly maxBytes: number;
}

/** A file that comes with a skill, or some of its lines. A long file is cut, with a note on how to read on. */
export async function readSkillFile(request: ReadRequest, catalog: Catalog): Promise<ToolOutcome> {
  const { record, maxBytes, startLine, endLine } = request;
  const path = meantPath(record, request.path, readableFiles);
  const bytes = await readOrMissing(catalog.files(record).read(path, maxBytes));
  if (bytes === undefined)
    return refusedOutcome('InvalidArguments', missingFileSentence(record, path, readableFiles(record)));
  const text = readLines(bytes, { skill: record.metadata.name, path }, { startLine, endLine });
  if (text === '') return textOutcome(bytes.length === 0 ? '(The file is empty.)' : '(These lines are empty.)');
  return textOutcome(text.length > MAX_CHARACTERS ? beginning(text, startLine ?? 1) : text);
}

/** The bytes of the file; `undefined` if it does not exist. */
async function readOrMissing(reading: Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (SkillInvocationError.isInstance(error) && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}

function beginning(text: string, firstLine: number): string {
  const end = text.lastIndexOf('\n', MAX_CHARACTERS - 1) + 1;
  if (end === 0)
    return `${text.slice(0, MAX_CHARACTERS).toWellFormed()}\n[The rest of the line was cut, because it is too long.]\n`;
  const shown = text.slice(0, end);
  const next = firstLine + shown.split('\n').length - 1;
  return `${shown}[The file continues. To read on, use startLine ${next}.]\n`;
}

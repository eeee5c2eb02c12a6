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
/** A model may write anything for a path. */
const MAX_PATH = 200;

/** Which of a skill's files a model may have meant. */
interface FileChoice {
  /** What they are called: `script`, `file`. */
  readonly kind: 'script' | 'file';
  readonly paths: readonly string[];
}

/** The files that can be read, without SKILL.md itself. */
function readableFiles(record: SkillRecord): FileChoice {
  const { files } = record.files.list(MAX_LISTED);
  return { kind: 'file', paths: files.map(({ path }) => path).filter((path) => path.toLowerCase() !== 'skill.md') };
}

/** The files that are run by themselves. The handlers of tools are not: their tools are called. */
export function scriptFiles(record: SkillRecord, limit: number = MAX_LISTED): FileChoice {
  return { kind: 'script', paths: scriptPaths(record, limit) };
}

/** The tool whose handler a path means: as it is written, or by the name of the file alone. */
export function meantHandler(record: SkillRecord, written: string): SkillTool | undefined {
  const exact = toolHandledBy(record, written);
  if (exact !== undefined || !isBareName(written) || record.files.has(written)) return exact;
  return record.metadata.tools.find(({ script }) => script !== undefined && posix.basename(script) === written);
}

/** The path as it is written; for a bare name that is not a path, the only file with that name. */
export function meantPath(record: SkillRecord, written: string, choice: (record: SkillRecord) => FileChoice): string {
  if (!isBareName(written) || record.files.has(written)) return written;
  const [path, ...others] = choice(record).paths.filter((candidate) => posix.basename(candidate) === written);
  return path === undefined || others.length > 0 ? written : path;
}

function isBareName(written: string): boolean {
  return written !== '' && written.length <= MAX_PATH && !/[/\\\0]/.test(written) && !/^\.+$/.test(written);
}

/** What to answer if there is no such file: the most similar one, and the existing ones. */
export function missingFileSentence(record: SkillRecord, written: string, { kind, paths }: FileChoice): string {
  const guess = closestPath(written, paths);
  return [
    `Skill '${record.metadata.name}' has no ${kind} '${written.slice(0, MAX_PATH)}'.`,
    ...(guess === undefined ? [] : [`Did you mean '${guess}'?`]),
    paths.length === 0 ? `The skill has no ${kind}s.` : `Its ${kind}s: [${quotedNames(paths, MAX_SHOWN)}]`,
  ].join(' ');
}

/** By the whole path, then by the name of the file alone. */
function closestPath(written: string, paths: readonly string[]): string | undefined {
  const whole = closestName(written, paths);
  if (whole !== undefined) return whole;
  const names = paths.map((path) => posix.basename(path));
  const name = closestName(posix.basename(written.slice(-MAX_PATH)), names);
  return name === undefined ? undefined : paths[names.indexOf(name)];
}

/** More than this of a file is not put into a conversation at once. */
const MAX_CHARACTERS = 100_000;

interface ReadRequest extends LineRange {
  readonly record: SkillRecord;
  /** As the model wrote it: a path, or the name of a file. */
  readonly path: string;
  readonly maxBytes: number;
}

/** A file that comes with a skill, or some of its lines; of a long one the beginning, and how to read on. */
export async function readSkillFile(request: ReadRequest, catalog: Catalog): Promise<ToolOutcome> {
  const { record, maxBytes, startLine, endLine } = request;
  const path = meantPath(record, request.path, readableFiles);
  const bytes = await readOrMissing(catalog.files(record).read(path, maxBytes));
  if (bytes === undefined)
    return refusedOutcome('InvalidArguments', missingFileSentence(record, path, readableFiles(record)));
  const text = readLines(bytes, { skill: record.metadata.name, path }, { startLine, endLine });
  if (text === '')
    return textOutcome(bytes.length === 0 ? '(The file is empty.)' : '(There is nothing in these lines.)');
  return textOutcome(text.length > MAX_CHARACTERS ? beginning(text, startLine ?? 1) : text);
}

/** `undefined` where there is no such file. */
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
    return `${text.slice(0, MAX_CHARACTERS).toWellFormed()}\n[The line goes on. It is too long to be shown whole.]\n`;
  const shown = text.slice(0, end);
  const next = firstLine + shown.split('\n').length - 1;
  return `${shown}[The file goes on. Read on with startLine ${next}.]\n`;
}

import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { readLines, type LineRange } from '../../catalog/bodies/text-file.ts';
import { SkillInvocationError } from '../../spec/errors/error.ts';
import { meantPath, missingFileSentence, readableFiles } from './bundled-files.ts';
import { refusedOutcome, textOutcome, type ToolOutcome } from './tool-outcome.ts';

/** More than this of a file is not put into a conversation at once. */
const MAX_CHARACTERS = 100_000;

export interface ReadRequest extends LineRange {
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

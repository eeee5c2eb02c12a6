import { SkillwrightError, invalidOption, systemCode } from '../spec/errors/error.ts';

const PLACE_REMEDY = 'Give the path of a regular file in a writable directory, on a disk with free space.';

/** `problem` continues the sentence "The record at 'path'". */
export function recordingError(
  path: string,
  problem: string,
  { cause, remedy = PLACE_REMEDY }: { readonly cause?: unknown; readonly remedy?: string } = {},
): SkillwrightError {
  const reason = systemCode(cause);
  const because = reason === undefined ? '' : ` (${reason})`;
  return new SkillwrightError('RecordingFailed', `The record at '${path}' ${problem}${because}. ${remedy}`, {
    data: { path, ...(reason === undefined ? {} : { reason }) },
    cause,
  });
}

export function assertCount(option: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw invalidOption(option, 'must be a whole number of at least 1');
}

export function assertKnown(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidOption(unknown, `is not known. Options: ${known.join(', ')}`);
}

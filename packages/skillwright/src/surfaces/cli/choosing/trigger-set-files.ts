import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { systemReason } from '../../../sources/file-errors.ts';
import { createDiagnostic, type Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import { DEFAULT_LIMITS } from '../../../spec/limits.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import { CliError } from '../cli-error.ts';
import { isAt } from '../finding/locations.ts';

/** A file that may hold a trigger set. */
export interface TriggerSetFile {
  readonly path: string;
  /** The skill whose directory contains it. */
  readonly owner: SkillMetadata | undefined;
  /** Whether the command line names it. Then it must contain a trigger set. */
  readonly isNamed: boolean;
  readonly read: () => Uint8Array;
}

const MAX_SET_BYTES = DEFAULT_LIMITS.maxFileBytes;
/** The accepted file names beside SKILL.md. In the directory `evals/`, any name is accepted. */
const TOP_NAMES = ['evals.json', 'trigger-eval.json', 'trigger-evals.json', 'trigger_eval.json', 'trigger_evals.json'];

/** The files of a skill that may hold a trigger set, by name. */
export function filesOfSkill(skill: SkillMetadata, snapshot: Snapshot): TriggerSetFile[] {
  const files = snapshot.recordOf(skill)?.files;
  if (files === undefined) return [];
  const paths = [
    ...TOP_NAMES.filter((name) => files.has(name)),
    ...jsonNames(join(skill.baseDir, 'evals')).map((name) => `evals/${name}`),
  ];
  return paths.map((path) => ({
    path: join(skill.baseDir, path),
    owner: skill,
    isNamed: false,
    read: () => files.readSync(path, MAX_SET_BYTES),
  }));
}

/** A file named on the command line. It belongs to the skill whose directory contains it, if any. */
export function namedFile(path: string, skills: readonly SkillMetadata[]): TriggerSetFile {
  const owners = skills.filter(({ baseDir }) => isAt(path, baseDir));
  const owner = owners.toSorted((a, b) => b.baseDir.length - a.baseDir.length)[0];
  return { path, owner, isNamed: true, read: () => readBounded(path) };
}

/** Why a file cannot be read. */
export function unreadable({ path }: TriggerSetFile, error: unknown): Diagnostic {
  const isOurs = error instanceof CliError || SkillwrightError.isInstance(error);
  const message = isOurs ? error.message : `It cannot be read: ${systemReason(error)}.`;
  return createDiagnostic('trigger-set-invalid', { path, message });
}

function jsonNames(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /\.json$/i.test(name))
      .toSorted();
  } catch {
    return [];
  }
}

function readBounded(path: string): Uint8Array {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new CliError('PathNotFound', 'It is not a file.');
    if (stat.size > MAX_SET_BYTES)
      throw new CliError(
        'PathNotFound',
        `It has ${stat.size} bytes, more than the limit of ${MAX_SET_BYTES} for a trigger set.`,
      );
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

import { setMaxListeners } from 'node:events';
import type { BlockedSkill, SkillRecord } from '../catalog/snapshot/skill-record.ts';
import { SkillInvocationError } from '../spec/errors/error.ts';
import { PROGRAM } from '../spec/program.ts';

/** Ends what runs of skills that become blocked, and keeps more of them from starting. */
export interface SkillStops {
  /** Aborts when the skill becomes blocked, with an error that says so, and when everything ends. */
  signalOf(record: SkillRecord): AbortSignal;
  /** Why nothing of the skill may start. */
  refusalOf(record: SkillRecord): string | undefined;
  /** From now on these are the skills that are blocked. */
  block(blocked: readonly BlockedSkill[]): void;
  /** Ends everything, also what begins later. */
  close(): void;
}

/** `endWorkers` ends the workers of the skill whose SKILL.md has a path. */
export function createSkillStops(endWorkers: (path: string) => void): SkillStops {
  /** One for each skill that was run, by the path of its SKILL.md. */
  const controllers = new Map<string, AbortController>();
  let errors: ReadonlyMap<string, SkillInvocationError> = new Map();
  let isClosed = false;

  const controllerOf = (path: string): AbortController => {
    const known = controllers.get(path);
    if (known !== undefined) return known;
    const controller = new AbortController();
    // Every run of the skill listens, however many there are at a time.
    setMaxListeners(0, controller.signal);
    controllers.set(path, controller);
    const error = errors.get(path);
    if (isClosed || error !== undefined) controller.abort(error);
    return controller;
  };

  return {
    signalOf: ({ metadata }) => controllerOf(metadata.filePath).signal,
    refusalOf: ({ metadata }) => errors.get(metadata.filePath)?.message,
    block(blocked) {
      const before = errors;
      errors = new Map(blocked.map((skill) => [skill.path, before.get(skill.path) ?? blockedRun(skill)]));
      for (const path of before.keys()) if (!errors.has(path)) controllers.delete(path);
      for (const [path, error] of errors) {
        if (before.has(path)) continue;
        controllers.get(path)?.abort(error);
        endWorkers(path);
      }
    },
    close() {
      isClosed = true;
      for (const controller of controllers.values()) controller.abort();
    },
  };
}

/** Results of runs go to people who need not know where a skill lies. */
function blockedRun({ name, path, realDir }: BlockedSkill): SkillInvocationError {
  const message = `Skill '${name}' is blocked, so nothing of it runs. '${PROGRAM} trust --list' shows what blocks it, and --remove takes it back; a block in code is lifted there.`;
  return new SkillInvocationError('SkillBlocked', message, { data: { skill: name, path, realDir } });
}

/** The error of a block that a signal was aborted with. */
export function blockOf(signal: AbortSignal | undefined): SkillInvocationError | undefined {
  const reason: unknown = signal?.reason;
  return SkillInvocationError.isInstance(reason) && reason.code === 'SkillBlocked' ? reason : undefined;
}

import type { SkillRecord } from '../catalog/snapshot/skill-record.ts';
import { decideSkillTrust } from '../catalog/snapshot/skill-trust.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { SkillInvocationError } from '../spec/errors/error.ts';
import { PROGRAM } from '../spec/program.ts';
import type { DecideTrust } from '../spec/trust.ts';
import { closeSync, constants, openSync, readlinkSync, statSync } from 'node:fs';
import { followPath } from '../sources/real-path.ts';

/**
 * Ends runs of skills that become blocked, and keeps such skills from starting. A running skill may hide its SKILL.md
 * or move its directory, so that discovery no longer finds it: its run then ends if that directory is blocked. A skill
 * that was only removed may finish its runs, but keeps no warm workers.
 */
export interface SkillStops {
  /** Must be called before something from a skill starts. */
  begin(record: SkillRecord): RunStop;
  /** Ends the runs of skills that are blocked by now. `found` is the snapshot of a discovery that has just finished. */
  judge(found?: Snapshot): void;
  /** Ends everything, including what starts later. */
  close(): void;
}

interface RunStop {
  /** Aborts with an error when the skill becomes blocked, and when everything ends. */
  readonly signal: AbortSignal;
  /** Must be called when the run has ended. */
  readonly end: () => void;
}

interface SkillStopsOptions {
  /** The host's decision on trust. Without it, only discoveries decide what is blocked. */
  readonly decideTrust: DecideTrust | undefined;
  /** Ends the idle workers of the skill with this SKILL.md. */
  readonly endWorkers: (path: string) => void;
}

interface Run {
  readonly record: SkillRecord;
  readonly controller: AbortController;
  /** The directory of the running skill; `undefined` for a skill in memory, and if only discoveries decide. */
  readonly directory: RunningDirectory | undefined;
}

export function createSkillStops({ decideTrust, endWorkers }: SkillStopsOptions): SkillStops {
  const runs = new Set<Run>();
  /**
   * The last run of each skill, by the path of its SKILL.md. Kept after the run, because the skill may have idle
   * workers.
   */
  const last = new Map<string, Run>();
  let blocked: ReadonlySet<string> = new Set();
  let isClosed = false;

  const isBlocked = ({ record, directory }: Run): boolean => {
    const { filePath } = record.metadata;
    if (blocked.has(filePath)) return true;
    if (decideTrust === undefined) return false;
    const { realDir, declared } = record.subject;
    const places = new Set([realDir, ...(directory?.places() ?? [])]);
    return [...places].some(
      (place) => decideSkillTrust({ realDir: place, declared }, filePath, decideTrust, []) === 'blocked',
    );
  };

  return {
    begin(record) {
      const { filePath, baseDir, source } = record.metadata;
      const isHeld = decideTrust !== undefined && source !== 'memory';
      const directory = isHeld ? openRunningDirectory(baseDir) : undefined;
      const run: Run = { record, controller: new AbortController(), directory };
      if (last.get(filePath)?.directory?.isInPlace() === false) endWorkers(filePath);
      runs.add(run);
      last.set(filePath, run);
      if (isClosed) run.controller.abort();
      else if (isBlocked(run)) run.controller.abort(blockedRun(record));
      return {
        signal: run.controller.signal,
        end() {
          runs.delete(run);
          directory?.close();
          if (directory?.isInPlace() === false) endWorkers(filePath);
        },
      };
    },
    judge(found) {
      if (found !== undefined) blocked = new Set(found.blocked.map(({ path }) => path));
      for (const run of runs) if (isBlocked(run)) run.controller.abort(blockedRun(run.record));
      for (const [path, run] of last) {
        const isGone = found !== undefined && found.recordAt(path) === undefined;
        if (isGone || run.directory?.isInPlace() === false || isBlocked(run)) endWorkers(path);
      }
    },
    close() {
      isClosed = true;
      for (const { controller } of runs) controller.abort();
    },
  };
}

/** Leaves out the skill's path, because results go to people who need not know it. */
function blockedRun({ metadata: { name, filePath: path }, subject: { realDir } }: SkillRecord): SkillInvocationError {
  const message = `Skill '${name}' is blocked and cannot run. '${PROGRAM} trust --list' shows what blocks it, and --remove unblocks it; if code blocks it, change the code.`;
  return new SkillInvocationError('SkillBlocked', message, { data: { skill: name, path, realDir } });
}

/** The block error that a signal was aborted with. */
export function blockOf(signal: AbortSignal | undefined): SkillInvocationError | undefined {
  const reason: unknown = signal?.reason;
  return SkillInvocationError.isInstance(reason) && reason.code === 'SkillBlocked' ? reason : undefined;
}

/** A skill's directory, kept open while the skill runs, because the skill may move it. */
interface RunningDirectory {
  /**
   * The original path of the directory, what that path leads to now, and, on Linux, where the directory is now. A block
   * of any of these paths applies to the skill.
   */
  places(): readonly string[];
  /** Whether the original path still leads to this directory. */
  isInPlace(): boolean;
  /** Closes the directory. From then on, its location is unknown. */
  close(): void;
}

const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);

function openRunningDirectory(path: string): RunningDirectory {
  const before = followPath(path).real;
  const identity = identityOf(path);
  let descriptor = process.platform === 'linux' ? open(path) : undefined;
  return {
    places() {
      const now = descriptor === undefined ? undefined : pathOf(descriptor);
      return [before, followPath(path).real, ...(now === undefined ? [] : [now])];
    },
    isInPlace: () => identityOf(path) === identity,
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, OPEN_FLAGS);
  } catch {
    return undefined;
  }
}

function pathOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

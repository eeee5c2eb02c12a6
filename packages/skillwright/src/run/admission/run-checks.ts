import { scriptPaths } from '../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { decideExecution } from '../../policy/approvals.ts';
import { tierStrength } from '../../policy/isolation.ts';
import type { Approve, Caller } from '../../spec/approval.ts';
import type { SandboxTier } from '../../spec/sandbox.ts';
import { neededApproval, unmetRequirements } from './admission.ts';
import { isJavaScript } from '../handlers/handler-language.ts';
import { tierRequirement } from '../open-run.ts';
import type { RunContext } from '../run-context.ts';
import { isInMemory } from './skill-content.ts';
import type { TierChoice, TierRequirement } from './tiers.ts';

/** The tier that a skill's scripts and tools run in on this host, or why they cannot run and what to do. */
export type RunCheck =
  | { readonly runs: true; readonly tier: SandboxTier }
  /** `reason` is the end of a sentence, without its full stop; `remedy` is one or more sentences. */
  | { readonly runs: false; readonly reason: string; readonly remedy: string };

/** Checks whether a skill's scripts and tools can run on this host, before a run is tried. */
export interface RunChecks {
  /** Probes the sandboxes that a skill needs. `undefined` for a skill with nothing to run. Never rejects. */
  check(record: SkillRecord, caller?: Caller): Promise<RunCheck | undefined>;
  /**
   * Probes the sandboxes that a snapshot's skills need, if that may take a while, so that `known` can answer. Gives up
   * after a few seconds: sandboxes that are unknown by then count as available. Never rejects.
   */
  prepare(snapshot: Snapshot): Promise<void>;
  /** Why a model's call would be refused here, whatever its arguments, in sentences; `undefined` if it could run. */
  refusalOf(record: SkillRecord, target: string, approve?: Approve): Promise<string | undefined>;
  /** Like `check`, but only from known results: it starts no program. */
  known(record: SkillRecord, caller?: Caller): RunCheck | undefined;
}

/** The program that a run starts: a script, or a tool's handler. */
interface Program {
  readonly path: string;
  /** A JavaScript handler. */
  readonly javascript: boolean;
}

const MAX_FILES = 200;
const MAX_PREPARE_MS = 5_000;

export function createRunChecks(context: RunContext): RunChecks {
  const choices = new Map<string, TierChoice>();
  const choose = async (requirement: TierRequirement): Promise<TierChoice> => {
    const choice = await context.tiers.choose(requirement);
    choices.set(keyOf(requirement), choice);
    return choice;
  };
  const known = (record: SkillRecord, programs: readonly Program[], caller: Caller): RunCheck | undefined => {
    const [first] = programs;
    if (first === undefined) return undefined;
    if (caller === 'model' && isOnlyForPeople(record, context)) return { runs: false, ...ONLY_PEOPLE };
    const unmet = record.metadata.requires && unmetRequirements(record, context.surroundingsOf(record));
    let problem: RunCheck | undefined;
    for (const program of programs) {
      const requirement = tierRequirement(record, program.javascript, context);
      const found = checkProgram(program, { record, requirement, choice: choices.get(keyOf(requirement)), context });
      if (found.runs && unmet === undefined) return found;
      problem ??= found.runs ? undefined : found;
    }
    return problem ?? { runs: false, reason: `it needs ${unmet?.names ?? ''}`, remedy: unmet?.remedy ?? '' };
  };
  const check: RunChecks['check'] = async (record, caller = 'user') => {
    const programs = programsOf(record);
    await Promise.all(programs.map(({ javascript }) => choose(tierRequirement(record, javascript, context))));
    return known(record, programs, caller);
  };
  return {
    check,
    async refusalOf(record, target, approve) {
      const checked = await check(record, 'model');
      if (checked?.runs === false) return `${upperFirst(checked.reason)}. ${checked.remedy}`;
      const needed = neededApproval({ record, caller: 'model', approve }, target, context);
      return needed !== undefined && 'code' in needed ? needed.sentence : undefined;
    },
    async prepare(snapshot) {
      const wanted = new Map<string, TierRequirement>();
      for (const skill of snapshot.skills) {
        const record = snapshot.recordOf(skill);
        if (record === undefined || isQuick(tierRequirement(record, false, context))) continue;
        const requirements = [false, true].map((javascript) => tierRequirement(record, javascript, context));
        const isSettled = requirements.every(
          (requirement) => choices.has(keyOf(requirement)) || wanted.has(keyOf(requirement)),
        );
        if (isSettled || programsOf(record).length === 0) continue;
        for (const requirement of requirements) wanted.set(keyOf(requirement), requirement);
      }
      await inTime(Promise.all([...wanted.values()].map(choose)), MAX_PREPARE_MS);
    },
    known: (record, caller = 'user') => known(record, programsOf(record), caller),
  };
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const ONLY_PEOPLE = {
  reason: 'only a person may run them (execution policy: manual)',
  remedy: 'A person can run them, or set another execution policy.',
} as const;

/**
 * Whether only people may run a skill. If a host's policy function throws, returns false, and the run reports the error
 * later.
 */
function isOnlyForPeople({ metadata }: SkillRecord, context: RunContext): boolean {
  try {
    return decideExecution(context.executionPolicy(metadata), 'model') === 'refuse';
  } catch {
    return false;
  }
}

/** Whether every host has the required tiers, so that they can be checked without starting anything. */
function isQuick({ required, contained }: TierRequirement): boolean {
  return !contained && tierStrength(required) <= tierStrength('process');
}

interface ProgramGround {
  readonly record: SkillRecord;
  readonly requirement: TierRequirement;
  readonly choice: TierChoice | undefined;
  readonly context: RunContext;
}

function checkProgram({ path }: Program, { record, requirement, choice, context }: ProgramGround): RunCheck {
  if (choice?.ok === false) return noTier(requirement, choice);
  const obstacle = isInMemory(record) ? undefined : interpreterObstacle(record, path, context);
  if (obstacle !== undefined) return obstacle;
  return { runs: true, tier: choice?.sandbox.tier ?? requirement.required };
}

function noTier({ required, contained }: TierRequirement, { nearest }: Extract<TierChoice, { ok: false }>): RunCheck {
  const who = contained
    ? 'the skill is not trusted, and no sandbox is available'
    : `the host requires the tier ${required}, which is not available`;
  if (nearest === undefined)
    return { runs: false, reason: who, remedy: 'Use a sandbox of this tier or a stronger one.' };
  const reason = nearest.reason.replaceAll(/\s+/g, ' ').replace(/\.$/, '');
  return { runs: false, reason: `${who}: ${reason}`, remedy: nearest.remedy };
}

function interpreterObstacle(record: SkillRecord, path: string, { interpreters }: RunContext): RunCheck | undefined {
  const found = interpreters.obstacle(realPath(record, path));
  if (found === undefined) return undefined;
  const reason = found.isKnown ? `${found.name} was not found` : `no interpreter is known for ${found.name}`;
  return { runs: false, reason, remedy: found.remedy };
}

function realPath(record: SkillRecord, path: string): string {
  try {
    return record.files.resolve(path);
  } catch {
    // Continue with the given path: the run itself reports what is wrong.
    return path;
  }
}

function programsOf(record: SkillRecord): Program[] {
  const { tools } = record.metadata;
  const handlers = tools.flatMap(({ script }) =>
    script === undefined || !record.files.has(script) ? [] : [{ path: script, javascript: isJavaScript(script) }],
  );
  return [...scriptsIn(record).map((path) => ({ path, javascript: false })), ...handlers];
}

function scriptsIn(record: SkillRecord): string[] {
  try {
    return scriptPaths(record, MAX_FILES);
  } catch {
    return [];
  }
}

function keyOf({ required, javascript, contained }: TierRequirement): string {
  return `${required} ${javascript} ${contained}`;
}

async function inTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

import { PROGRAM } from '../../../spec/program.ts';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isModelMade } from '../../../catalog/snapshot/skill-trust.ts';
import type { SkillExecutionResult } from '../../../spec/execution.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import type { CliContext } from '../context.ts';
import { joinWords } from '../text/terminal-text.ts';
import { describeRequirement, missingRequirements, type MissingRequirement } from '../finding/missing-requirements.ts';
import { reportTiers } from './tier-reports.ts';
import type { RunSession } from './run-session.ts';
import { environmentFor, type RunSettings } from './run-settings.ts';
import type { Invocation } from '../command.ts';
import { createErrorOutput, troubleLines } from '../output.ts';
import type { Interruption } from './host-process.ts';
import type { LiveOutput } from './live-output.ts';

/** A failed run with its context. */
interface FailedRun {
  readonly result: SkillExecutionResult;
  readonly skill: SkillMetadata;
  readonly settings: RunSettings;
  readonly session: Pick<RunSession, 'facts' | 'shown'>;
  readonly context: CliContext;
  readonly cwd: string;
  /** The script's arguments. */
  readonly args?: readonly string[];
}

/** Why a run failed and what to do about it, in terms of the command line. */
export interface Advice {
  readonly message: string;
  readonly hints: readonly string[];
}

export async function adviseOn(run: FailedRun): Promise<Advice> {
  const { result, session } = run;
  const asReported = { message: sentenceOf(result), hints: [] };
  if (result.code === 'RequirementsMissing')
    return (session.facts.tier === null ? await missingTier(run) : missingRequirement(run)) ?? asReported;
  if (result.code !== 'ExecutionFailed' || session.facts.reason !== 'exit') return asReported;
  return { ...asReported, hints: [...elsewhere(run), ...confinement(run)] };
}

/** The message of a failure without its code. */
function sentenceOf({ code, error }: SkillExecutionResult): string {
  const prefix = `${code ?? ''}: `;
  return error?.startsWith(prefix) === true ? error.slice(prefix.length) : (error ?? 'It failed.');
}

async function missingTier({ skill, settings, session, context }: FailedRun): Promise<Advice | undefined> {
  const wanted = settings.tier ?? 'bubblewrap';
  const report = (await reportTiers(context)).find(({ tier }) => tier === wanted);
  if (report === undefined || report.available) return undefined;
  const trusting =
    skill.trust === 'trusted' || isModelMade(skill)
      ? []
      : [`Or read the skill, and if you trust it: ${PROGRAM} trust ${joinWords([session.shown.path(skill.baseDir)])}`];
  if (settings.tier === undefined)
    return {
      message: `Skill '${skill.name}' is not trusted and needs ${wanted}, which is not available here: ${report.reason}`,
      hints: [report.remedy, ...trusting],
    };
  return {
    message: `The tier ${wanted} (--sandbox ${wanted}) is not available here: ${report.reason}`,
    hints: [
      report.remedy,
      `${PROGRAM} sandbox shows the available tiers.`,
      'Without --sandbox, the default tier is used.',
    ],
  };
}

/**
 * Explains which declared requirement is missing. `undefined` if something that the skill does not declare is missing,
 * such as an interpreter.
 */
function missingRequirement({ skill, settings, context }: FailedRun): Advice | undefined {
  const { platform, env: here } = context;
  const missing = missingRequirements(skill, { env: environmentFor(settings, context), platform });
  if (missing.length === 0) return undefined;
  const isHere = ({ kind, anyOf: [name = ''] }: MissingRequirement): boolean => kind === 'env' && !!here[name];
  const names = missing.map((item) =>
    isHere(item)
      ? `the environment variable ${item.anyOf.join()} (set here, but not passed on)`
      : describeRequirement(item, platform),
  );
  const hints = missing.flatMap((item) => {
    if (item.kind === 'os') return [];
    const name = item.anyOf.join(' or ');
    if (item.kind === 'bin') return [`Install ${name}, and make sure that it is on the PATH.`];
    return [isHere(item) ? `--env ${name} passes its value on.` : `--env ${name}=value sets it.`];
  });
  return { message: `Skill '${skill.name}' needs ${names.join(', ')}.`, hints };
}

/** A script starts in its skill's directory, so paths relative to the user's directory do not exist there. */
function elsewhere({ settings, session, skill, cwd, args = [] }: FailedRun): string[] {
  const { workspace = 'none' } = settings;
  if (workspace !== 'none' || session.facts.tier !== 'process') return [];
  const isMisplaced = (arg: string): boolean =>
    arg !== '' && !arg.startsWith('-') && existsSync(resolve(cwd, arg)) && !existsSync(resolve(skill.baseDir, arg));
  const file = args.find(isMisplaced);
  if (file === undefined) return [];
  return [
    `${file} is in this directory, but the script ran in the directory of its skill. --workspace read runs it here.`,
  ];
}

/** What the sandbox hid or blocked, which may have caused the failure. */
function confinement({ settings, session, cwd }: FailedRun): string[] {
  const { tier } = session.facts;
  if (tier === null || tier === 'inprocess' || tier === 'process') return [];
  const { workspace = 'none', network } = settings;
  const files = {
    none: 'none of your files (--workspace read shows this directory)',
    read: 'only this directory, read-only (--workspace write makes it writable)',
    write: 'only this directory of your files',
  };
  const reach = network ? '' : ', and cannot use the network (--allow-net allows it)';
  return [`It ran in the tier ${tier}, where it sees ${files[workspace]}${reach}.`, ...identityHint(workspace, cwd)];
}

function identityHint(workspace: 'none' | 'read' | 'write', cwd: string): string[] {
  if (workspace === 'none' || process.getuid?.() !== 0) return [];
  if (workspace === 'read')
    return ['Because root started it, it runs there as another user, who can read only files that everyone can read.'];
  const owner = statSync(cwd, { throwIfNoEntry: false })?.uid;
  if (owner !== 0) return ['Because root started it, it runs there as the owner of this directory.'];
  return ['Because root started it in a directory of root, it runs as nobody, who can write only where everyone can.'];
}

export interface RunReport extends Advice {
  readonly code: SkillExecutionResult['code'];
  /** Lines between the message and the hints: where it happened. */
  readonly details?: readonly string[];
  readonly live: LiveOutput;
  readonly interruption: Interruption;
}

/** Reports on standard error why a run failed. The program's own output stays unchanged, including its paths. */
export function reportFailure({ context }: Pick<Invocation, 'context'>, report: RunReport): void {
  const { code, message, details, hints, live, interruption } = report;
  // The user ended the run and knows why it failed.
  if (interruption.signal.aborted) return;
  const output = createErrorOutput(context);
  if (live.endsMidLine()) output.line();
  const text = code === undefined ? message : `${code}: ${message}`;
  output.lines(troubleLines(output, 'error', { message: text, details, hints }));
}

import { statSync } from 'node:fs';
import { decideExecution } from '../../policy/approvals.ts';
import { describeRequirement, missingRequirements } from '../../policy/requirements.ts';
import { scriptEnvironment } from '../../policy/script-environment.ts';
import { hasProgram } from '../../process/interpreters.ts';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../spec/approval.ts';
import { SkillwrightError, messageOf } from '../../spec/errors/error.ts';
import type { ExecutionCode } from '../../spec/execution.ts';
import type { Logger } from '../../spec/events/logger.ts';
import type { Sandbox, SandboxLaunch } from '../../spec/sandbox.ts';
import type { RunContext, RunRequest } from '../run-context.ts';
import { contentOf, digestOf, isInMemory, realDirectory } from './skill-content.ts';
import { blockOf } from '../skill-stops.ts';
import type { Surroundings } from '../run-environment.ts';

/** The launch options that do not depend on the program. */
export type LaunchGround = Pick<
  SandboxLaunch,
  'cwd' | 'env' | 'skillDir' | 'skillCopy' | 'workspace' | 'network' | 'limits'
>;

export interface Refusal {
  readonly ok: false;
  readonly code: ExecutionCode;
  readonly sentence: string;
}

export type Admission =
  | { readonly ok: true; readonly ground: LaunchGround; readonly digest: string | undefined }
  | Refusal;

export interface Applicant {
  readonly request: RunRequest;
  readonly kind: 'script' | 'tool';
  readonly target: string;
  readonly args: unknown;
  readonly executionId: string;
  readonly sandbox: Sandbox;
  readonly surroundings: Surroundings;
}

/** Checks everything that must be true before a skill's program starts; the first failed check refuses the run. */
export async function admit(applicant: Applicant, context: RunContext): Promise<Admission> {
  const refused = disabled(applicant.request.record) ?? unmet(applicant);
  if (refused !== undefined) return refused;
  const prepared = await prepare(applicant, context);
  if (!prepared.ok) return prepared;
  return (await unapproved(applicant, context, prepared.digest)) ?? prepared;
}

export function disabled(record: RunRequest['record']): Refusal | undefined {
  if (record.metadata.mode !== 'off') return undefined;
  return refusal('Disabled', `Skill '${record.metadata.name}' is turned off (mode: off) and cannot run.`);
}

function unmet({ request: { record }, surroundings }: Applicant): Refusal | undefined {
  const missing = unmetRequirements(record, surroundings);
  if (missing === undefined) return undefined;
  const { names, remedy } = missing;
  return refusal('RequirementsMissing', `Skill '${record.metadata.name}' needs ${names}. ${remedy}`);
}

/** A skill's requirements that this host does not meet, in words, and what to do. */
export function unmetRequirements(
  { metadata }: RunRequest['record'],
  { env }: Pick<Surroundings, 'env'>,
): { readonly names: string; readonly remedy: string } | undefined {
  const missing = missingRequirements(metadata.requires, {
    env,
    platform: process.platform,
    hasProgram: (program) => hasProgram(program, metadata.baseDir, env),
  });
  if (missing.length === 0) return undefined;
  const names = missing.map((requirement) => describeRequirement(requirement, process.platform)).join(', ');
  const kinds = new Set(missing.map(({ kind }) => kind));
  const remedies = [
    ...(kinds.has('bin') ? ['Install the missing programs.'] : []),
    ...(kinds.has('env') ? ["The host can grant variables with the option 'env' or 'secrets'."] : []),
    ...(kinds.has('os') ? ['Run the skill on a supported operating system.'] : []),
  ];
  return { names, remedy: remedies.join(' ') };
}

/**
 * Asks for approval if the run needs it. `staged` is the digest of the copy that will run. Without a copy, the skill's
 * content is compared again after the answer, because it may have changed meanwhile.
 */
async function unapproved(
  applicant: Applicant,
  context: RunContext,
  staged: string | undefined,
): Promise<Refusal | undefined> {
  const { request, target, kind, args, executionId, sandbox, surroundings } = applicant;
  const { metadata } = request.record;
  const needed = neededApproval(request, target, context);
  if (needed === undefined || 'code' in needed) return needed;
  const { approve } = needed;
  const what = nameOf(target, request.record);
  const look = (): Promise<string> => digestOf(contentOf(request.record));
  const digest = staged ?? (await look());
  const { session, tenant } = request;
  const subject = { skill: metadata.qualifiedName, digest, kind, target, session, tenant };
  if (context.approvals.has(subject)) return undefined;
  const answer = await ask({ approve, logger: context.logger }, request.signal, (signal) => ({
    executionId,
    skill: metadata.qualifiedName,
    version: metadata.version ?? null,
    digest,
    kind,
    target,
    args: surroundings.redactor.redactValue(args),
    trust: metadata.trust,
    tier: sandbox.tier,
    network: context.network,
    session: request.session,
    signal,
  }));
  if (answer === 'cancelled') {
    const block = blockOf(request.signal);
    if (block !== undefined) return refusal('SkillBlocked', block.message);
    return refusal('Cancelled', `${what} was cancelled before anybody approved it.`);
  }
  if (!GRANTS.has(answer)) return refusal('ApprovalDenied', `${what} was not approved, so it did not run.`);
  if (staged === undefined && (await look()) !== digest)
    return refusal('ApprovalDenied', `${what} changed during the approval, so it did not run. Try again.`);
  context.approvals.remember(subject, answer);
  return undefined;
}

/** Whom to ask before a run, or why it is refused without asking; `undefined` if it needs no approval. */
export function neededApproval(
  { record, caller, approve }: Pick<RunRequest, 'record' | 'caller' | 'approve'>,
  target: string,
  context: Pick<RunContext, 'executionPolicy' | 'approve'>,
): { readonly approve: Approve } | Refusal | undefined {
  const decision = decideExecution(context.executionPolicy(record.metadata), caller);
  if (decision === 'run') return undefined;
  const what = nameOf(target, record);
  if (decision === 'refuse')
    return refusal('ApprovalRequired', `${what} may only be run by a person (execution policy: manual).`);
  const asked = approve ?? context.approve;
  if (asked !== undefined) return { approve: asked };
  return refusal(
    'ApprovalRequired',
    `${what} needs a person's approval, but this program cannot ask for one. Set the option 'approve'.`,
  );
}

function nameOf(target: string, { metadata }: RunRequest['record']): string {
  return `'${target}' of skill '${metadata.name}'`;
}

const ANSWERS: ReadonlySet<unknown> = new Set(['once', 'conversation', 'always', 'deny', 'cancelled']);
const GRANTS: ReadonlySet<ApprovalAnswer> = new Set(['once', 'conversation', 'always']);

async function ask(
  { approve, logger }: { readonly approve: Approve; readonly logger: Logger },
  signal: AbortSignal | undefined,
  request: (signal: AbortSignal) => ApprovalRequest,
): Promise<ApprovalAnswer | 'cancelled'> {
  const wanted = signal ?? new AbortController().signal;
  if (wanted.aborted) return 'cancelled';
  const answered = new AbortController();
  const cancelled = new Promise<'cancelled'>((resolve) => {
    wanted.addEventListener('abort', () => resolve('cancelled'), { once: true, signal: answered.signal });
  });
  try {
    const answer = Promise.resolve(approve(request(wanted)));
    const given: unknown = await Promise.race([answer, cancelled]);
    if (ANSWERS.has(given)) return given as ApprovalAnswer | 'cancelled';
    const answers = 'once, conversation, always and deny';
    logger.warn(
      `'approve' returned ${JSON.stringify(given) ?? typeof given}, which counts as a denial. Valid answers: ${answers}.`,
    );
    return 'deny';
  } catch (error) {
    logger.error('Asking for approval failed, which counts as a denial.', { error: String(error) });
    return 'deny';
  } finally {
    answered.abort();
  }
}

/** Prepares the directories and the environment; an untrusted skill runs from a copy that nobody changes. */
async function prepare({ request, surroundings }: Applicant, context: RunContext): Promise<Admission> {
  const { record, cwd } = request;
  const { metadata } = record;
  if (cwd !== undefined && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return refusal('ExecutionFailed', `The working directory ${cwd} does not exist, so nothing ran.`);
  try {
    const isCopied = isInMemory(record) || metadata.trust !== 'trusted';
    const copy = isCopied ? await context.staging.stage(record) : undefined;
    const skillDir = isInMemory(record) && copy !== undefined ? copy.path : realDirectory(record);
    const baseDir = isInMemory(record) ? skillDir : metadata.baseDir;
    const ground: LaunchGround = {
      cwd: request.cwd ?? skillDir,
      env: scriptEnvironment(surroundings.env, { skill: { ...metadata, baseDir } }),
      skillDir,
      ...(copy === undefined || copy.path === skillDir ? {} : { skillCopy: copy.path }),
      workspace: context.workspace,
      network: context.network,
      limits: context.limits,
    };
    return { ok: true, ground, digest: copy?.digest };
  } catch (error) {
    const reason = messageOf(error);
    const sentence = SkillwrightError.isInstance(error)
      ? reason
      : `Skill '${metadata.name}' could not be prepared to run: ${reason}.`;
    return refusal('ExecutionFailed', sentence);
  }
}

function refusal(code: ExecutionCode, sentence: string): Refusal {
  return { ok: false, code, sentence };
}

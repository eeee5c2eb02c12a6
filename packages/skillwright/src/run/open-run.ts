import { requiredTier } from '../policy/isolation.ts';
import type { Sandbox } from '../spec/sandbox.ts';
import { admit, type LaunchGround, type Refusal } from './admission/admission.ts';
import { beginExecution, type Execution } from './execution.ts';
import type { Surroundings } from './run-environment.ts';
import type { RunContext, RunRequest } from './run-context.ts';
import { blockOf } from './skill-stops.ts';
import type { TierRequirement } from './admission/tiers.ts';

/** What to run. */
export interface RunSubject {
  readonly kind: 'script' | 'tool';
  /** The script's path, or the tool's name. */
  readonly target: string;
  readonly args: unknown;
  /** Whether the program is a JavaScript handler, which a tier inside this process can also run. */
  readonly javascript: boolean;
}

export interface Admitted {
  readonly ok: true;
  readonly sandbox: Sandbox;
  readonly ground: LaunchGround;
  /** The digest of the skill's copy, if the run uses a copy. */
  readonly digest: string | undefined;
}

/** A run that has begun: it is recorded and its tier is chosen, but nothing has started. */
export interface OpenRun {
  readonly execution: Execution;
  /** The environment of the program, and the secrets in it that are redacted from all output. */
  readonly surroundings: Surroundings;
  /** Why the run must be refused right now: its start could not be recorded, or the skill is blocked. */
  refusal(): Refusal | undefined;
  /** Decides whether the run may continue, after asking for approval and copying the skill if required. */
  admit(): Promise<Admitted | Refusal>;
}

export async function openRun(request: RunRequest, subject: RunSubject, context: RunContext): Promise<OpenRun> {
  const { record, caller, session, tenant } = request;
  const { metadata } = record;
  const { kind, target, args, javascript } = subject;
  const surroundings = context.surroundingsOf(record);
  const tier = await context.tiers.choose(tierRequirement(record, javascript, context));
  const execution = await beginExecution(
    {
      id: request.executionId,
      kind,
      skill: metadata,
      target,
      args,
      caller,
      session,
      tenant: tenant === '' ? null : tenant,
      tier: tier.ok ? tier.sandbox.tier : null,
      redactor: surroundings.redactor,
    },
    context,
  );
  const unrecorded = (): Refusal | undefined =>
    execution.unrecorded === undefined
      ? undefined
      : refusal('ExecutionFailed', `Nothing ran, because the run could not be recorded: ${execution.unrecorded}`);
  const refused = (): Refusal | undefined => {
    const block = blockOf(request.signal);
    return unrecorded() ?? (block === undefined ? undefined : refusal('SkillBlocked', block.message));
  };
  return {
    execution,
    surroundings,
    refusal: refused,
    async admit() {
      const early = refused();
      if (early !== undefined) return early;
      if (!tier.ok) return isolationMissing(record, tier.reason);
      const { sandbox } = tier;
      const executionId = execution.id;
      const admission = await admit({ request, kind, target, args, executionId, sandbox, surroundings }, context);
      return admission.ok ? { ...admission, sandbox } : admission;
    },
  };
}

/** The tier that a skill's program needs; `javascript` means that it is a JavaScript handler. */
export function tierRequirement(
  record: RunRequest['record'],
  javascript: boolean,
  context: RunContext,
): TierRequirement {
  const { trust } = record.metadata;
  return {
    required: requiredTier(trust, context.isolation),
    javascript: javascript && !needsEnvironment(record, context),
    contained: trust !== 'trusted',
  };
}

function isolationMissing({ metadata }: RunRequest['record'], reason: string): Refusal {
  const who = metadata.trust === 'trusted' ? 'The host requires' : `Skill '${metadata.name}' is not trusted and needs`;
  return refusal('RequirementsMissing', `${who} more isolation than is available here. ${reason}`);
}

/** Whether the skill needs environment variables of its own, which requires a process of its own. */
function needsEnvironment({ metadata }: RunRequest['record'], context: RunContext): boolean {
  return (metadata.requires?.env?.length ?? 0) > 0 || context.hasSecrets(metadata);
}

function refusal(code: Refusal['code'], sentence: string): Refusal {
  return { ok: false, code, sentence };
}

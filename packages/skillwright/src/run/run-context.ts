import type { SkillRecord } from '../catalog/snapshot/skill-record.ts';
import type { Approvals } from '../policy/approvals.ts';
import type { IsolationOptions } from '../policy/isolation.ts';
import type { Interpreters } from '../process/interpreters.ts';
import type { Approve, Caller, ExecutionPolicy } from '../spec/approval.ts';
import type { SandboxLimits, WorkspaceAccess } from '../spec/sandbox.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import type { Witnesses } from './execution.ts';
import type { HandlerPool } from './handlers/handler-pool.ts';
import type { SkillStops } from './skill-stops.ts';
import type { Staging } from './admission/staging.ts';
import type { SurroundingsOf } from './run-environment.ts';
import type { ContentStamps } from './admission/skill-content.ts';
import type { ModuleArguments } from './arguments/module-arguments.ts';
import type { Tiers } from './admission/tiers.ts';
import type { ArgumentCheck } from './arguments/tool-arguments.ts';

/** Everything that the runs of a runtime share: its components and the host's decisions. */
export interface RunContext extends Witnesses {
  readonly tiers: Tiers;
  readonly interpreters: Interpreters;
  readonly pool: HandlerPool;
  readonly stops: SkillStops;
  readonly staging: Staging;
  readonly surroundingsOf: SurroundingsOf;
  readonly hasSecrets: (skill: SkillMetadata) => boolean;
  readonly checkArguments: ArgumentCheck;
  readonly stamps: ContentStamps;
  readonly moduleArguments: ModuleArguments;
  readonly isolation: IsolationOptions;
  readonly network: boolean;
  readonly workspace: WorkspaceAccess;
  readonly limits: SandboxLimits;
  readonly executionPolicy: (skill: SkillMetadata) => ExecutionPolicy;
  readonly approve: Approve | undefined;
  readonly approvals: Approvals;
  readonly maxOutputBytes: number;
}

/** One requested run. */
export interface RunRequest {
  readonly record: SkillRecord;
  readonly caller: Caller;
  /** The conversation that the run belongs to. */
  readonly session: string | null;
  /** The tenant that owns the run: warm workers are never shared between tenants. */
  readonly tenant: string;
  /** The working directory; `undefined` means the skill's directory. */
  readonly cwd: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Asks a person to approve this run, instead of the runtime's own function. */
  readonly approve?: Approve | undefined;
  /** The execution's id; default: a generated one. */
  readonly executionId?: string | undefined;
}

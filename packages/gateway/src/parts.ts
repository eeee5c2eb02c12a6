import type { SkillsHost } from 'skillwright/host';
import type { AgentSkillCatalog } from './agent-skills/agent-skill.ts';
import type { Guard } from './auth/guard.ts';
import type { KeyRing } from './auth/key-ring.ts';
import type { Environment } from './config/environment.ts';
import type { GatewayConfig } from './config/config.ts';
import type { Approvals } from './approvals/approvals.ts';
import type { Executor } from './executions/executor.ts';
import type { Handlers } from './executions/handlers/handlers.ts';
import type { FindRequestSkills } from './executions/requests/request-skills.ts';
import type { GatewayLog } from './http/log/log.ts';
import type { GatewayMetrics } from './http/metrics/gateway-metrics.ts';
import type { Metrics } from './http/metrics/metrics.ts';
import type { ConversationLedger } from './ledger/conversation-ledger.ts';
import type { TraceLog } from './ledger/trace-log.ts';
import type { Registry, SyncReport } from './registry/registered-skill.ts';
import type { Clock } from './spec/clock.ts';
import type { Store } from './store/open-store.ts';
import type { Upstreams } from './upstream/upstreams.ts';

/** The parts from which a gateway's routes are made. Each gateway has its own. */
export interface GatewayParts {
  readonly config: GatewayConfig;
  /** Where `apiKeyEnv` is looked up. */
  readonly env: Environment;
  readonly store: Store;
  readonly keys: KeyRing;
  readonly log: GatewayLog;
  readonly metrics: Metrics;
  readonly counted: GatewayMetrics;
  /** Put it before every route that is not public. */
  readonly guard: Guard;
  readonly now: Clock;
  /** Every known skill, of any kind. */
  readonly registry: Registry;
  readonly executor: Executor;
  readonly approvals: Approvals;
  /** Finds the skills that a proxied request may use. */
  readonly requestSkills: FindRequestSkills;
  /** Looks for skills in the configured directories again. */
  readonly refreshSkills: () => Promise<SyncReport>;
  /** The skills of the configured directories. */
  readonly skills: SkillsHost;
  /** Skills that are functions of the host's program. */
  readonly handlers: Handlers;
  /** Documents that teach agents the REST interface and the command line. */
  readonly agentSkills: AgentSkillCatalog;
  readonly upstreams: Upstreams;
  readonly ledger: ConversationLedger;
  readonly traceLog: TraceLog;
  /** Aborted at shutdown, when the grace period for running requests is over. */
  readonly stopping: AbortSignal;
}

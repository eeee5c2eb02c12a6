import type { AgentSkillCatalog } from './agent-skills/agent-skill.ts';
import type { Guard } from './auth/guard.ts';
import type { Executions, ExecutionsGround } from './executions/open-executions.ts';
import type { GatewayMetrics } from './http/metrics/gateway-metrics.ts';
import type { Metrics } from './http/metrics/metrics.ts';
import type { ConversationLedger } from './ledger/conversation-ledger.ts';
import type { TraceLog } from './ledger/trace-log.ts';
import type { Upstreams } from './upstream/upstreams.ts';

/** The parts from which a gateway's routes are made. Each gateway has its own. */
export interface GatewayParts
  extends
    Pick<ExecutionsGround, 'config' | 'env' | 'store' | 'log' | 'now' | 'approvals' | 'keys' | 'workDirOf'>,
    Omit<Executions, 'close'> {
  readonly metrics: Metrics;
  readonly counted: GatewayMetrics;
  /** Checks the caller of a request. Put it before every route that is not public. */
  readonly guard: Guard;
  /** Documents that teach agents the REST interface and the command line. */
  readonly agentSkills: AgentSkillCatalog;
  readonly upstreams: Upstreams;
  readonly ledger: ConversationLedger;
  readonly traceLog: TraceLog;
  /** Aborted at shutdown, when the grace period for running requests is over. */
  readonly stopping: AbortSignal;
}

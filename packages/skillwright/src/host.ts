import { assertNodeVersion } from './process/node-version.ts';
export { driveTurn, type DrivenTurn } from './agent/turn/drive-turn.ts';
export type { RoundReport } from './agent/turn/round-report.ts';
export { createSkillTraces, type SkillTraces } from './agent/traces/skill-traces.ts';
export { createTurnTraces, type TurnTraces } from './agent/traces/turn-traces.ts';
export type { CallContext } from './agent/turn/run-calls.ts';
export type { CallRequest } from './agent/tools/host-tools.ts';
export type { ToolOutcome } from './agent/tools/tool-outcome.ts';
export type { TurnBounds, TurnClient, TurnEnding, TurnEndReason, TurnStep } from './agent/turn/turn.ts';
export {
  createSkillsHost,
  type ChosenSkills,
  type ConversationOptions,
  type HostedConversation,
  type SkillsHost,
  type SkillRunReport,
  type SkillsHostOptions,
  type SkillsRequest,
} from './faces/host/skills-host.ts';
export type { RunOptions, Runner, ScriptOptions } from './run/runner.ts';
export { schemaHazard } from './parse/hazard/schema-hazard.ts';
export { createSchemaCheck, type SchemaCheck } from './run/arguments/tool-arguments.ts';
export {
  createProgramRunner,
  type ProgramRequest,
  type ProgramResult,
  type ProgramRunner,
  type ProgramRunnerOptions,
} from './faces/host/program-runner.ts';
export { createModelClient } from './models/model-client.ts';
export type { ModelClientOptions } from './models/model-options.ts';
export { createDemoModel, type DemoModelOptions } from './models/demo/demo-model.ts';
export {
  createEgressProxy,
  type EgressDenial,
  type EgressProxy,
  type EgressProxyOptions,
} from './net/egress/egress-proxy.ts';
export { roundTripOf, timeRoundTrip, wasStale, type BrokenRequest } from './net/http/stale-connection.ts';
export { closestName } from './parse/closest-name.ts';
export { followPath, type FollowedPath } from './sources/real-path.ts';
export { selectForTask } from './select/selection/for-task.ts';
export { createStandardSources, type SkillLocations } from './sources/standard-sources.ts';
export type { ConfigurationHost } from './sources/trust/trust-location.ts';
export { followTrust } from './sources/trust/follow-trust.ts';
export { openUserTrustStore, trustRule } from './sources/trust/trust-rule.ts';
export type { ModelClient, ModelFailure, ModelReply, ModelRequest } from './spec/model.ts';
export { PROGRAM } from './spec/program.ts';
export type { AgentTool, ToolInputSchema } from './spec/agent-tool.ts';

assertNodeVersion();

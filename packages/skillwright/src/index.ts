// `skillwright`: what a program needs to give an agent skills.
import { assertNodeVersion } from './process/node-version.ts';

// Skills for an agent, in one line.
export { createSkillsProvider, type SkillsProvider } from './faces/provider/skills-provider.ts';
export type { ApproveSimply, SkillsDirectory, SkillsProviderOptions } from './faces/provider/provider-options.ts';
export type {
  CallOptions,
  SearchOptions,
  SessionOptions,
  SkillsSession,
  SkillsTools,
} from './faces/provider/skills-session.ts';
export type { SdkTool } from './faces/provider/skills-session.ts';
export type { ProtectOptions } from './agent/session/agent-session.ts';

// An agent to use as it is.
export { runAgent } from './faces/agent/run-agent.ts';
export {
  ToolOrchestrator,
  type OrchestratedStep,
  type ToolOrchestratorOptions,
} from './faces/agent/tool-orchestrator.ts';
export type { AgentOptions, Compact, RunAgentOptions } from './faces/agent/agent-options.ts';
export type { AgentFailure, AgentResult } from './agent/turn/agent-turn.ts';
export type { TurnEndReason } from './agent/turn/turn.ts';
export type { InjectedSkills } from './agent/guidance/turn-guidance.ts';
export type { AgentTool, AgentToolContext, ToolInputSchema } from './spec/agent-tool.ts';
export type { AgentEvent, AgentEventListener } from './spec/events/agent-events.ts';
export type { TraceEvent, TraceListener, TraceType } from './spec/events/trace.ts';
export { createModelClient } from './models/model-client.ts';
export type { ModelClientOptions } from './models/model-options.ts';
export type { ModelClient, ModelFailure, ModelReply, ModelRequest } from './spec/model.ts';

// Look up skills by name.
export {
  SkillManager,
  type SkillChoice,
  type SkillDiscoveryResult,
  type SkillManagerOptions,
} from './faces/manager/skill-manager.ts';
export type {
  JsonObjectSchema,
  SkillContent,
  SkillFields,
  SkillFile,
  SkillMetadata,
  SkillMode,
  SkillRequirements,
  SkillSourceKind,
  SkillTool,
} from './spec/skill.ts';
export type { SkillFilter } from './catalog/snapshot/snapshot.ts';
export type { LineRange } from './catalog/bodies/skill-bodies.ts';
export type { IndexCacheOption } from './catalog/index-cache/location.ts';
export type { CatalogChange, CatalogWatch, ChangeListener, WatchOptions } from './catalog/watch/watch-options.ts';
export type { SkillScope, ToolRestrictionMode } from './policy/restriction/restriction.ts';
export type { ToolInput } from './policy/restriction/tool-match.ts';

// Find skills by trigger and by task.
export { SkillLoader } from './faces/loader/skill-loader.ts';
export type { FiredContext } from './faces/loader/loader-options.ts';
export type { SkillLoaderOptions } from './faces/loader/loader-options.ts';
export type { LoadedScript, LoadedSkill, LoadSkillOptions } from './faces/provider/loaded-skills.ts';
export type { TriggerContext } from './select/triggers/trigger-context.ts';
export type { FindSkillsOptions, SkillMatch } from './select/triggers/triggers.ts';
export { createRanker } from './select/ranking/create-ranker.ts';
export type {
  AsyncRankOptions,
  CutOptions,
  Eagerness,
  Embed,
  RankableSkill,
  RankedSkill,
  Ranker,
  RankerKind,
  RankerOptions,
  RankField,
  RankOptions,
  RankReason,
  RankRule,
  SkillBody,
} from './spec/ranker.ts';

// Skill sources and trust.
export { createDirectorySource, type DirectorySourceOptions } from './sources/directory/directory-source.ts';
export { createMemorySource, type MemorySkill } from './sources/memory-source.ts';
export { createPluginSource, type PluginSourceOptions } from './sources/plugin/plugin-source.ts';
export { createStandardSources, type SkillLocations } from './sources/standard-sources.ts';
export type { SkillSource } from './spec/source.ts';
export type { DecideTrust, TrustLevel, TrustSubject } from './spec/trust.ts';
export type { ReadingLimits } from './spec/limits.ts';

// Running scripts and tools.
export type { ExecutionPolicies, PolicyOptions, RunningOptions, WorkerOptions } from './run/options/running-options.ts';
export type { RunOptions, ScriptOptions } from './run/runner.ts';
export type { RunCheck } from './run/admission/run-checks.ts';
export type { ToolCallResult } from './run/call-tool.ts';
export type { OnOutput } from './run/scripts/run-program.ts';
export type { ProgramStdin } from './run/scripts/run-program.ts';
export type { SkillSecrets } from './run/run-environment.ts';
export type { ExecutionCode, SkillExecutionResult } from './spec/execution.ts';
export type { ApprovalAnswer, ApprovalRequest, Approve, Caller, ExecutionPolicy } from './spec/approval.ts';

// Events, results and errors.
export {
  locationOf,
  type Diagnostic,
  type DiagnosticCategory,
  type Severity,
  type SkillError,
} from './spec/diagnostics/diagnostic.ts';
export type { DiagnosticCode } from './spec/diagnostics/diagnostic-data.ts';
export type { EventListener, SkillwrightEvent } from './spec/events/events.ts';
export type { Logger } from './spec/events/logger.ts';
export {
  NetworkError,
  SkillDiscoveryError,
  SkillException,
  SkillInvocationError,
  SkillParsingError,
  SkillValidationError,
  SkillwrightError,
  ToolRestrictionError,
} from './spec/errors/error.ts';
export type { ErrorCode } from './spec/errors/error-data.ts';
export { VERSION } from './spec/program.ts';

assertNodeVersion();

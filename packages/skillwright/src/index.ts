import { assertNodeVersion } from './process/node-version.ts';
export { SkillManager } from './faces/manager/skill-manager.ts';
export type { SkillChoice, SkillDiscoveryResult, SkillManagerOptions } from './faces/manager/skill-manager.ts';
export { SkillLoader } from './faces/loader/skill-loader.ts';
export type { FiredContext } from './faces/loader/loader-find.ts';
export type { SkillLoaderOptions } from './faces/loader/loader-options.ts';
export type { LoadedScript, LoadedSkill, LoadSkillOptions } from './faces/provider/loaded-skills.ts';
export { createSkillsProvider } from './faces/provider/skills-provider.ts';
export type { SkillsProvider } from './faces/provider/skills-provider.ts';
export type { SkillsProviderOptions } from './faces/provider/provider-options.ts';
export type { CallOptions, SearchOptions, SkillsSession, SkillsTools } from './faces/provider/skills-session.ts';
export type { SdkTool } from './faces/provider/sdk-tools.ts';
export type { AgentSession } from './agent/session/agent-session.ts';
export type { ToolOutcome } from './agent/tools/tool-outcome.ts';
export type { ExecuteOptions } from './agent/tools/toolset.ts';
export { forgetResults } from './wire/history/forget-results.ts';
export type {
  AnthropicTool,
  GeminiTool,
  OfferedTools,
  OpenAiChatTool,
  OpenAiResponsesTool,
} from './wire/calls/offered-tools.ts';
export type { ToolContent, WireFormatName } from './spec/wire.ts';
export { createRanker } from './select/ranking/create-ranker.ts';
export type {
  AsyncRankOptions,
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
export { createRuntime } from './runtime.ts';
export type { Runtime, RuntimeOptions } from './runtime.ts';
export type { ExecutionPolicies, PolicyOptions, RunningOptions, WorkerOptions } from './run/options/running-options.ts';
export type { EgressOptions } from './run/egress-sandbox.ts';
export type { SandboxOptions } from './run/options/sandbox-options.ts';
export type { SkillSecrets } from './run/run-environment.ts';
export type { ToolCallResult } from './run/call-tool.ts';
export type { OnOutput } from './run/scripts/passed-output.ts';
export type { ProgramStdin } from './run/scripts/program-stdin.ts';
export type { RunCheck, RunChecks } from './run/admission/run-checks.ts';
export type { Runner, RunOptions, ScriptOptions } from './run/runner.ts';
export type { ExecutionCode, SkillExecutionResult } from './spec/execution.ts';
export type { ApprovalAnswer, ApprovalRequest, Approve, Caller, ExecutionPolicy } from './spec/approval.ts';
export type { ExecutionBeginning, ExecutionEnding, ExecutionEndReason, Recorder } from './spec/recorder.ts';
export type {
  HandlerWorkerLaunch,
  ProgramInput,
  ProgramOutput,
  Sandbox,
  SandboxCapabilities,
  SandboxLaunch,
  SandboxLimits,
  SandboxProbe,
  SandboxBound,
  SandboxExit,
  SandboxProcess,
  SandboxTier,
  WorkspaceAccess,
} from './spec/sandbox.ts';
export type { Catalog } from './catalog/catalog.ts';
export { snapshotDiff } from './catalog/snapshot/snapshot-diff.ts';
export type { ChangedSkill, SnapshotDiff } from './catalog/snapshot/snapshot-diff.ts';
export type { CatalogChange, CatalogWatch, ChangeListener, WatchOptions } from './catalog/watch/watch-options.ts';
export type { IndexCacheOption } from './catalog/index-cache/location.ts';
export type { FileStamp, KnownFile, WatchList } from './spec/source.ts';
export type { BlockedSkill, RefusedSkill, ShadowedSkill, SkillRecord } from './catalog/snapshot/skill-record.ts';
export type { CatalogTool, SkillFilter, Snapshot } from './catalog/snapshot/snapshot.ts';
export type { LineRange } from './catalog/bodies/text-file.ts';
export { chooseSkills } from './policy/visibility/skill-choice.ts';
export type { AgentSkills, SkillChoiceOptions, UnknownChoice } from './policy/visibility/skill-choice.ts';
export { explainVisibility } from './policy/visibility/visibility.ts';
export type { Visibility, VisibilityFacts, VisibilityReason, VisibilityRule } from './policy/visibility/visibility.ts';
export type { HostFacts } from './policy/requirements.ts';
export { createListing } from './select/listing/listing.ts';
export type { ListedSkill, Listing, ListingCut, ListingPreference } from './select/listing/listing.ts';
export type { ListingOptions } from './select/listing/listing-options.ts';
export type { ListingLevel } from './select/listing/listing-text.ts';
export { createListingSession } from './select/listing/listing-session.ts';
export type { ListingSession } from './select/listing/listing-session.ts';
export { selectSkills } from './select/selection/selection.ts';
export type { InjectedSkill } from './select/selection/injected-skills.ts';
export type { Selection, SelectionInput, SelectionReason } from './select/selection/selection.ts';
export { estimateTokens } from './select/listing/token-estimate.ts';
export type { CountTokens } from './select/listing/token-estimate.ts';
export type { TriggerContext } from './select/triggers/trigger-context.ts';
export type { FindSkillsOptions, SkillMatch } from './select/triggers/triggers.ts';
export type {
  RestrictingSkill,
  Restrictions,
  SkillScope,
  ToolRestrictionMode,
} from './policy/restriction/restriction.ts';
export type { ToolInput } from './policy/restriction/tool-match.ts';
export { createHttpClient } from './net/http/http-client.ts';
export type { HttpClient, HttpClientOptions } from './net/http/http-client.ts';
export type { HttpRequestOptions } from './net/http/request-settings.ts';
export type { HttpResponse } from './net/http/http-response.ts';
export type { ResolveHost } from './net/address/host-addresses.ts';
export { createJsonlRecorder } from './record/files/jsonl-recorder.ts';
export type { JsonlRecorder, JsonlRecorderOptions } from './record/files/jsonl-recorder.ts';
export { createMemoryRecorder } from './record/memory-recorder.ts';
export type { MemoryRecorder, MemoryRecorderOptions } from './record/memory-recorder.ts';
export { readExecutions } from './record/files/read-executions.ts';
export type { ExecutionReading, ReadExecutionsOptions, RecordDamage } from './record/files/read-executions.ts';
export type { RecordedExecution } from './record/files/recorded-execution.ts';
export { createContainerSandbox } from './process/container/sandbox.ts';
export type { ContainerSandbox } from './process/container/sandbox.ts';
export type { ContainerEngineName, ContainerOptions } from './process/container/options.ts';
export { probeSandboxes } from './process/probe-sandboxes.ts';
export type { ProbeOptions, SandboxReport } from './process/probe-sandboxes.ts';
export { createDirectorySource } from './sources/directory/directory-source.ts';
export type { DirectorySourceOptions } from './sources/directory/directory-source.ts';
export { createMemorySource } from './sources/memory-source.ts';
export type { MemorySkill } from './sources/memory-source.ts';
export { createPluginSource } from './sources/plugin/plugin-source.ts';
export type { PluginSourceOptions } from './sources/plugin/plugin-source.ts';
export { createStandardSources } from './sources/standard-sources.ts';
export type { SkillLocations } from './sources/standard-sources.ts';
export { createTrustStore } from './sources/trust/trust-store.ts';
export type { TrustEntry, TrustStore, TrustStoreOptions } from './sources/trust/trust-store.ts';
export { locationOf, toSkillError } from './spec/diagnostics/diagnostic.ts';
export type { Diagnostic, DiagnosticCategory, Severity, SkillError } from './spec/diagnostics/diagnostic.ts';
export type { DiagnosticCode } from './spec/diagnostics/diagnostic-data.ts';
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
export type { EventListener, SkillwrightEvent } from './spec/events/events.ts';
export { DEFAULT_LIMITS } from './spec/limits.ts';
export type { ReadingLimits } from './spec/limits.ts';
export type { Logger } from './spec/events/logger.ts';
export type {
  ManifestAuthor,
  MarketplaceEntry,
  MarketplaceManifest,
  PluginManifest,
  PluginOrigin,
} from './spec/plugin.ts';
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
export type { ScanContext, ScanStep, SkillCandidate, SkillFiles, SkillSource } from './spec/source.ts';
export type { DecideTrust, TrustLevel, TrustSubject } from './spec/trust.ts';
export { VERSION } from './spec/version.ts';
export { runAgent } from './faces/agent/run-agent.ts';
export { ToolOrchestrator } from './faces/agent/tool-orchestrator.ts';
export type { OrchestratedStep, ToolOrchestratorOptions } from './faces/agent/tool-orchestrator.ts';
export type { AgentOptions, Compact, RunAgentOptions } from './faces/agent/agent-options.ts';
export type { AgentFailure, AgentResult } from './agent/turn/agent-turn.ts';
export type { TurnEndReason } from './agent/turn/turn.ts';
export { createModelClient } from './models/model-client.ts';
export type { ModelClientOptions } from './models/model-options.ts';
export type { AgentEvent, AgentEventListener } from './spec/events/agent-events.ts';
export type { AgentTool, AgentToolContext, ToolInputSchema } from './spec/agent-tool.ts';
export type { ModelClient, ModelFailure, ModelReply, ModelRequest } from './spec/model.ts';
export type { TraceEvent, TraceListener, TraceType } from './spec/events/trace.ts';
export { formatToolMessage } from './agent/recovery/message.ts';
export type { ToolMessage, ToolMessageCall, ToolMessageResult } from './agent/recovery/message.ts';
export type { InjectedSkills } from './agent/guidance/turn-guidance.ts';
export { createDemoModel } from './models/demo/demo-model.ts';
export type { DemoModelOptions } from './models/demo/demo-model.ts';
export { createTraceFile } from './record/files/trace-file.ts';
export type { TraceFile, TraceFileOptions } from './record/files/trace-file.ts';
export { readTraces } from './record/files/trace-reading.ts';
export type { ReadTracesOptions, TraceDamage, TraceReading } from './record/files/trace-reading.ts';
export { createOpenTelemetryTraces } from './record/opentelemetry/opentelemetry-traces.ts';
export type { OpenTelemetryTraces, OpenTelemetryTracesOptions } from './record/opentelemetry/opentelemetry-traces.ts';
export type {
  OpenTelemetryApi,
  OpenTelemetrySpan,
  OpenTelemetryTracer,
  SpanAttributes,
} from './record/opentelemetry/api.ts';
export type { ProtectOptions } from './agent/tools/protected-skills.ts';
export type { SessionOptions } from './faces/provider/skills-session.ts';
export type { ApproveSimply, SkillsDirectory } from './faces/provider/provider-options.ts';

assertNodeVersion();

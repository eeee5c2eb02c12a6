export { SkillManager } from './faces/skill-manager.ts';
export type { SkillChoice, SkillDiscoveryResult, SkillManagerOptions } from './faces/skill-manager.ts';
export { createRuntime } from './runtime.ts';
export type { Runtime, RuntimeOptions } from './runtime.ts';
export type {
  ExecutionPolicies,
  PolicyOptions,
  RunningOptions,
  SandboxOptions,
  WorkerOptions,
} from './run/running-options.ts';
export type { SkillSecrets } from './run/surroundings.ts';
export type { ToolCallResult } from './run/call-tool.ts';
export type { OnOutput } from './run/passed-output.ts';
export type { ProgramStdin } from './run/program-stdin.ts';
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
  SandboxProcess,
  SandboxTier,
  WorkspaceAccess,
} from './spec/sandbox.ts';
export type { Catalog } from './catalog/catalog.ts';
export type { BlockedSkill, RefusedSkill, ShadowedSkill, SkillRecord } from './catalog/skill-record.ts';
export type { CatalogTool, SkillFilter, Snapshot } from './catalog/snapshot.ts';
export type { LineRange } from './catalog/text-file.ts';
export type { RestrictingSkill, Restrictions, SkillScope, ToolRestrictionMode } from './policy/restriction.ts';
export type { ToolInput } from './policy/tool-match.ts';
export { createHttpClient } from './net/http-client.ts';
export type { HttpClient, HttpClientOptions } from './net/http-client.ts';
export type { HttpRequestOptions } from './net/request-settings.ts';
export type { HttpResponse } from './net/http-response.ts';
export type { ResolveHost } from './net/host-addresses.ts';
export { createJsonlRecorder } from './record/jsonl-recorder.ts';
export type { JsonlRecorder, JsonlRecorderOptions } from './record/jsonl-recorder.ts';
export { createMemoryRecorder } from './record/memory-recorder.ts';
export type { MemoryRecorder, MemoryRecorderOptions } from './record/memory-recorder.ts';
export { readExecutions } from './record/read-executions.ts';
export type { ExecutionReading, ReadExecutionsOptions, RecordDamage } from './record/read-executions.ts';
export type { RecordedExecution } from './record/recorded-execution.ts';
export { probeSandboxes } from './process/probe-sandboxes.ts';
export type { ProbeOptions, SandboxReport } from './process/probe-sandboxes.ts';
export { createDirectorySource } from './sources/directory-source.ts';
export type { DirectorySourceOptions } from './sources/directory-source.ts';
export { createMemorySource } from './sources/memory-source.ts';
export type { MemorySkill } from './sources/memory-source.ts';
export { createPluginSource } from './sources/plugin-source.ts';
export type { PluginSourceOptions } from './sources/plugin-source.ts';
export { createStandardSources } from './sources/standard-sources.ts';
export type { SkillLocations } from './sources/standard-sources.ts';
export { createTrustStore } from './sources/trust-store.ts';
export type { TrustEntry, TrustStore, TrustStoreOptions } from './sources/trust-store.ts';
export { locationOf, toSkillError } from './spec/diagnostic.ts';
export type { Diagnostic, DiagnosticCategory, Severity, SkillError } from './spec/diagnostic.ts';
export type { DiagnosticCode } from './spec/diagnostic-data.ts';
export {
  NetworkError,
  SkillDiscoveryError,
  SkillException,
  SkillInvocationError,
  SkillParsingError,
  SkillValidationError,
  SkillwrightError,
  ToolRestrictionError,
} from './spec/error.ts';
export type { ErrorCode } from './spec/error-data.ts';
export type { EventListener, SkillwrightEvent } from './spec/events.ts';
export { DEFAULT_LIMITS } from './spec/limits.ts';
export type { ReadingLimits } from './spec/limits.ts';
export type { Logger } from './spec/logger.ts';
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

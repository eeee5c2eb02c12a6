export { SkillManager } from './faces/skill-manager.ts';
export type { SkillChoice, SkillDiscoveryResult, SkillManagerOptions } from './faces/skill-manager.ts';
export { createRuntime } from './runtime.ts';
export type { PolicyOptions, Runtime, RuntimeOptions } from './runtime.ts';
export type { ToolCallResult } from './run/call-tool.ts';
export type { Runner, RunOptions, ScriptOptions } from './run/runner.ts';
export type { ExecutionCode, SkillExecutionResult } from './spec/execution.ts';
export type { SandboxTier } from './spec/sandbox.ts';
export type { Catalog } from './catalog/catalog.ts';
export type { RefusedSkill, ShadowedSkill, SkillRecord } from './catalog/skill-record.ts';
export type { CatalogTool, SkillFilter, Snapshot } from './catalog/snapshot.ts';
export type { LineRange } from './catalog/text-file.ts';
export type { RestrictingSkill, Restrictions, SkillScope, ToolRestrictionMode } from './policy/restriction.ts';
export type { ToolInput } from './policy/tool-match.ts';
export { createDirectorySource } from './sources/directory-source.ts';
export type { DirectorySourceOptions } from './sources/directory-source.ts';
export { createMemorySource } from './sources/memory-source.ts';
export type { MemorySkill } from './sources/memory-source.ts';
export { createPluginSource } from './sources/plugin-source.ts';
export type { PluginSourceOptions } from './sources/plugin-source.ts';
export { createStandardSources } from './sources/standard-sources.ts';
export type { SkillLocations } from './sources/standard-sources.ts';
export { locationOf, toSkillError } from './spec/diagnostic.ts';
export type { Diagnostic, DiagnosticCategory, Severity, SkillError } from './spec/diagnostic.ts';
export type { DiagnosticCode } from './spec/diagnostic-data.ts';
export {
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
export { VERSION } from './spec/version.ts';

// `skillwright/host`: what servers and framework adapters are built on. The gateway is one such server.
import { assertNodeVersion } from './process/node-version.ts';

// Skills from custom sources.
export { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts';
export type { Catalog } from './catalog/catalog.ts';
export type { CatalogTool, Snapshot } from './catalog/snapshot/snapshot.ts';
export type { ChangedSkill, SnapshotDiff } from './catalog/snapshot/snapshot-diff.ts';
export type { BlockedSkill, RefusedSkill, ShadowedSkill, SkillRecord } from './catalog/snapshot/skill-record.ts';
export type { RestrictingSkill, Restrictions } from './policy/restriction/restriction.ts';
export type { RunChecks } from './run/admission/run-checks.ts';
export type { Runner } from './run/runner.ts';
export type {
  FileStamp,
  KnownFile,
  ScanContext,
  ScanStep,
  SkillCandidate,
  SkillFiles,
  WatchList,
} from './spec/source.ts';
export type {
  ManifestAuthor,
  MarketplaceEntry,
  MarketplaceManifest,
  PluginManifest,
  PluginOrigin,
} from './spec/plugin.ts';

// Conversations and programs of many tenants.
export {
  createSkillsHost,
  type ChosenSkills,
  type ConversationOptions,
  type HostedConversation,
  type SkillRunReport,
  type SkillsHost,
  type SkillsHostOptions,
  type SkillsRequest,
} from './faces/host/skills-host.ts';
export {
  createProgramRunner,
  type ProgramRequest,
  type ProgramResult,
  type ProgramRunner,
  type ProgramRunnerOptions,
} from './faces/host/program-runner.ts';

// Turns of a model: the loop, calls and traces.
export { driveTurn, type DrivenTurn } from './agent/turn/drive-turn.ts';
export type { TurnBounds, TurnClient, TurnEnding, TurnStep } from './agent/turn/turn.ts';
export type { RoundReport } from './agent/turn/round-report.ts';
export type { CallContext } from './agent/turn/run-calls.ts';
export type { CallRequest } from './agent/tools/host-tools.ts';
export type { ToolOutcome } from './agent/tools/tool-outcome.ts';
export type { ExecuteOptions } from './agent/tools/toolset.ts';
export type { AgentSession } from './agent/session/agent-session.ts';
export { createSkillTraces, type SkillTraces } from './agent/traces/turn-traces.ts';
export { createTurnTraces, type TurnTraces } from './agent/traces/turn-traces.ts';
export {
  formatToolMessage,
  type ToolMessage,
  type ToolMessageCall,
  type ToolMessageResult,
} from './agent/recovery/message.ts';

// Trust in skills.
export { createTrustStore, type TrustStore, type TrustStoreOptions } from './sources/trust/trust-store.ts';
export type { TrustEntry } from './sources/trust/trust-file.ts';
export { openUserTrustStore, trustRule } from './sources/trust/trust-rule.ts';
export { followTrust } from './sources/trust/trust-rule.ts';
export type { ConfigurationHost } from './sources/trust/trust-location.ts';

// The network.
export { createHttpClient, type HttpClient, type HttpClientOptions } from './net/http/http-client.ts';
export type { HttpRequestOptions } from './net/http/request-settings.ts';
export type { HttpResponse } from './net/http/http-response.ts';
export type { ResolveHost } from './net/address/host-addresses.ts';
export {
  createProxyClient,
  type ForwardedRequest,
  type Forwarding,
  type ProxyClient,
  type ProxyClientOptions,
} from './net/http/proxy-client.ts';
export { CONNECTION_HEADERS, namedByConnection } from './net/http/connection-headers.ts';

// Untrusted text: schemas, names and descriptions.
export { schemaHazard } from './parse/hazard/schema-hazard.ts';
export { createSchemaCheck, type SchemaCheck } from './run/arguments/tool-arguments.ts';
export { followPath, type FollowedPath } from './sources/real-path.ts';
export { closestName } from './parse/closest-name.ts';
export { PROGRAM } from './spec/program.ts';

assertNodeVersion();

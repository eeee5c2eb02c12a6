export { createGateway } from './app.ts';
export type { Gateway, GatewayOptions } from './app.ts';
export { serve } from './serve.ts';
export type { RunningGateway, ServeOptions } from './serve.ts';
export { CONFIG_NAME, readConfig } from './config/read-config.ts';
export type { ReadConfig, ReadConfigOptions } from './config/read-config.ts';
export type { ConfirmConfig, FoundConfig, FoundConfigRule } from './config/found-config.ts';
export type { GatewayConfig, GatewayConfigInput, GatewayLimits, UpstreamConfig } from './config/config.ts';
export type { Environment } from './config/environment.ts';
export type { Approval, Approvals, ApprovalScope, ApprovalStatus, ApprovalSubject } from './approvals/approvals.ts';
export type {
  ExecutionEvent,
  ExecutionRequest,
  Executor,
  Handler,
  HandlerContext,
  HandlerOptions,
} from './executions/executor.ts';
export type { Handlers, HandlerSkill } from './executions/handlers/handlers.ts';
export type {
  NewSkill,
  RegisteredKind,
  RegisteredMode,
  RegisteredPolicy,
  RegisteredSkill,
  Registry,
  RegistryView,
  SkillChange,
  SkillFilter,
  SkillOrigin,
  SkillSchemas,
  SourceProvider,
  SyncReport,
} from './registry/registered-skill.ts';
export type { CreatedKey, KeyRequest, KeyRing } from './auth/key-ring.ts';
export type { GatewayLog } from './http/log/log.ts';
export type { ApiKey, ApiKeyTable, NewApiKey, Scope } from './store/tables/api-key-table.ts';
export type {
  AttemptEnd,
  ExecutionEnd,
  ExecutionStatus,
  FinalStatus,
  NewExecution,
  StoredAttempt,
  StoredExecution,
} from './store/tables/execution-rows.ts';
export type { AttemptQueries, ExecutionFilter, ExecutionTable } from './store/tables/execution-table.ts';
export type { LedgerEntry, LedgerTable } from './store/tables/ledger-table.ts';
export type { Store, StoreTables } from './store/open-store.ts';
export type { Page, PageRequest } from './store/page.ts';
export type { GatewaySettings, Settings } from './store/settings.ts';
export type {
  StoredTrace,
  StoredTraceEvent,
  TraceFilter,
  TraceSummary,
  TraceTable,
} from './store/tables/trace-table.ts';
export { GatewayError } from './spec/gateway-error.ts';
export type { GatewayErrorOptions } from './spec/gateway-error.ts';
export type { GatewayErrorCode } from './spec/error-data.ts';

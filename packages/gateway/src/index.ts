// `@skillwright/gateway`: for programs that start a gateway or embed one.
export { createGateway, type Gateway, type GatewayOptions } from './app.ts';
export { serve, type RunningGateway, type ServeOptions } from './serve.ts';

// Configuration.
export { readConfig, type ReadConfig, type ReadConfigOptions } from './config/read-config.ts';
export type { ConfirmConfig, FoundConfig, FoundConfigRule } from './config/found-config.ts';
export type { GatewayConfig, GatewayConfigInput, GatewayLimits, UpstreamConfig } from './config/config.ts';
export type { Environment } from './config/environment.ts';

// Functions of the program as skills.
export type { Handlers, HandlerSkill } from './executions/handlers/handlers.ts';
export type {
  ExecutionEvent,
  ExecutionRequest,
  Executor,
  Handler,
  HandlerContext,
  HandlerOptions,
} from './executions/executor.ts';
export type { ExecutionStatus, StoredExecution } from './store/tables/execution-rows.ts';

// Skills, keys and approvals.
export type { NewSkill, RegisteredSkill, Registry, SkillChange, SkillFilter } from './registry/registered-skill.ts';
export type { CreatedKey, KeyRequest, KeyRing } from './auth/key-ring.ts';
export type { Scope } from './store/tables/api-key-table.ts';
export type { Approval, Approvals, ApprovalScope } from './approvals/approvals.ts';

export { GatewayError } from './spec/gateway-error.ts';
export type { GatewayErrorCode } from './spec/error-data.ts';

// `skillwright/sandbox`: where scripts and tools run, and what they may reach.
import { assertNodeVersion } from './process/node-version.ts';

export { probeSandboxes, type ProbeOptions, type SandboxReport } from './process/standard-sandboxes.ts';
export { createContainerSandbox, type ContainerSandbox } from './process/container/sandbox.ts';
export type { ContainerEngineName, ContainerOptions } from './process/container/options.ts';
export type { SandboxOptions } from './run/options/sandbox-options.ts';

// Custom tiers.
export type {
  HandlerWorkerLaunch,
  ProgramInput,
  ProgramOutput,
  Sandbox,
  SandboxBound,
  SandboxCapabilities,
  SandboxExit,
  SandboxLaunch,
  SandboxLimits,
  SandboxProbe,
  SandboxProcess,
  SandboxTier,
  WorkspaceAccess,
} from './spec/sandbox.ts';

// Network access of sandboxed programs.
export type { EgressOptions } from './run/egress-sandbox.ts';
export {
  createEgressProxy,
  type EgressDenial,
  type EgressProxy,
  type EgressProxyOptions,
} from './net/egress/egress-proxy.ts';

assertNodeVersion();

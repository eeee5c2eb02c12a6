import type { Sandbox } from '../spec/sandbox.ts';
import { createBubblewrapSandbox } from './bubblewrap/sandbox.ts';
import type { ContainerOptions } from './container/options.ts';
import { createContainerSandbox } from './container/sandbox.ts';
import { hostEnvironment } from './host-environment.ts';
import { createInProcessSandbox } from './inprocess/sandbox.ts';
import { createProcessSandbox } from './plain/sandbox.ts';

export interface StandardSandboxOptions {
  /** The PATH to look for bubblewrap and container engines in. Default: that of this process. */
  readonly path?: string | undefined;
  readonly container?: ContainerOptions | undefined;
}

/** The tiers that this package brings, weakest first. None is probed before it is needed. */
export function createStandardSandboxes({ path, container }: StandardSandboxOptions): readonly Sandbox[] {
  const environment = hostEnvironment();
  return [
    createInProcessSandbox(),
    createProcessSandbox(),
    createBubblewrapSandbox({ path }),
    createContainerSandbox(container, path === undefined ? environment : { ...environment, PATH: path }),
  ];
}

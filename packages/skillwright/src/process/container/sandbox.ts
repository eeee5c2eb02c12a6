import { SkillwrightError } from '../../spec/errors/error.ts';
import type { Sandbox, SandboxCapabilities, SandboxProbe, SandboxProcess } from '../../spec/sandbox.ts';
import type { ContainerEngine } from './engine.ts';
import { readContainerHost, type ContainerReading } from './host.ts';
import { launchContainer } from './launch.ts';
import type { ContainerOptions } from './options.ts';
import { removeAllOf } from './orphans.ts';
import { hostEnvironment } from '../host-environment.ts';

/** The container tier, with functions to end what it runs. */
export interface ContainerSandbox extends Sandbox {
  readonly tier: 'container';
  /** Ends the container of an execution; false if there is none. */
  kill(executionId: string): Promise<boolean>;
  /** Ends every container of this process, and returns how many there were. Use it when shutting down. */
  killAll(): Promise<number>;
}

/**
 * The `container` tier: runs programs with docker or podman. The engines' command lines get their PATH and settings
 * from `environment`. Default: this process's environment.
 */
export function createContainerSandbox(
  options: ContainerOptions = {},
  environment: Readonly<Record<string, string>> = hostEnvironment(),
): ContainerSandbox {
  const running = new Map<string, SandboxProcess>();
  let reading: Promise<ContainerReading> | undefined;
  const read = (): Promise<ContainerReading> => (reading ??= readContainerHost(options, environment));
  return {
    tier: 'container',
    async probe(): Promise<SandboxProbe> {
      const result = await read();
      if (!result.ok) return { available: false, reason: result.reason, remedy: result.remedy };
      const { engine, sample } = result.host;
      const detail = `${engine.name} ${engine.version}${engine.rootless ? ', without root' : ''}, ${sample.name}`;
      return { available: true, capabilities: capabilitiesOf(engine), detail };
    },
    async launch(launch) {
      const result = await read();
      if (!result.ok) throw new SkillwrightError('LaunchFailed', `${result.reason} ${result.remedy}`);
      const started = await launchContainer(result.host, launch);
      running.set(launch.executionId, started);
      void started.exited.finally(() => {
        if (running.get(launch.executionId) === started) running.delete(launch.executionId);
      });
      return started;
    },
    async kill(executionId) {
      const process = running.get(executionId);
      await process?.kill();
      return process !== undefined;
    },
    async killAll() {
      const own = [...running.values()];
      await Promise.all(own.map((process) => process.kill()));
      const result = await (reading ?? Promise.resolve(undefined));
      return own.length + (result?.ok === true ? await removeAllOf(result.host.engine, result.host.mark) : 0);
    },
  };
}

function capabilitiesOf(engine: ContainerEngine): SandboxCapabilities {
  return {
    runsPrograms: true,
    interrupts: true,
    killsTree: true,
    hidesNetwork: true,
    hidesFiles: true,
    protectsSkill: true,
    boundsMemory: engine.boundsMemory,
    boundsProcesses: engine.boundsProcesses,
    boundsDisk: true,
  };
}

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgressProxy, type EgressDenial, type EgressProxy } from '../net/egress/egress-proxy.ts';
import { parseEgressRules } from '../net/egress/egress-rules.ts';
import { proxyVariables } from '../process/sandbox-launcher.ts';
import type { Logger } from '../spec/events/logger.ts';
import type { ProgramOutput, Sandbox, SandboxLaunch, SandboxProcess } from '../spec/sandbox.ts';

/** Which hosts programs with network access may reach. */
export interface EgressOptions {
  /**
   * Hosts such as `api.example.com`, or `*.pypi.org` for the names below it, optionally with a port. Default ports: 80
   * and 443.
   */
  readonly allow: readonly string[];
  /**
   * Hosts and ranges that may be reached although their address is not public: `mirror.internal:8080`, `10.0.0.0/8`.
   */
  readonly private?: readonly string[] | undefined;
}

/** How many denials are reported in one program's output. */
const MAX_TOLD = 20;

/**
 * Wraps a tier so that programs with network access reach only the listed hosts, through a proxy. A tier that cannot
 * isolate the network is left unchanged; a tier that does not support the proxy gives programs no network.
 */
export function withEgress(sandbox: Sandbox, options: EgressOptions, logger: Logger): Sandbox {
  const rules = parseEgressRules(options.allow);
  return {
    tier: sandbox.tier,
    probe: () => sandbox.probe(),
    async launch(launch) {
      const probe = await sandbox.probe();
      if (!launch.network || !probe.available || !probe.capabilities.hidesNetwork) return sandbox.launch(launch);
      const notices = createNotices(launch, logger);
      const proxy = createEgressProxy({ rules, private: options.private, onDenied: (denial) => notices.tell(denial) });
      const opened = await openFor(proxy);
      try {
        const env = { ...launch.env, ...proxyVariables() };
        const child = await sandbox.launch({ ...launch, env, network: false, egress: { socket: opened.socket } });
        void child.exited.finally(() => opened.close());
        return accompany(child, proxy, notices);
      } catch (error) {
        opened.close();
        throw error;
      }
    },
  };
}

function accompany(child: SandboxProcess, proxy: EgressProxy, notices: Notices): SandboxProcess {
  const { stdin, stdout, stderr, channel, exited } = child;
  return {
    stdin,
    stdout,
    stderr: notices.beside(stderr),
    ...(channel === undefined ? {} : { channel }),
    exited,
    kill: () => child.kill(),
    keepAlive(kept) {
      child.keepAlive(kept);
      proxy.keepAlive(kept);
    },
  };
}

/**
 * Opens a socket for the proxy in a directory that is closed to other users. Only the subdirectory that the program
 * sees is open, because the program's user may have another number in its sandbox.
 */
async function openFor(proxy: EgressProxy): Promise<{ readonly socket: string; close(): void }> {
  const directory = mkdtempSync(join(tmpdir(), 'skillwright-egress-'));
  const shared = join(directory, 'shared');
  const socket = join(shared, 'proxy');
  const close = (): void => {
    proxy.close();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    await proxy.listen(socket);
    return { socket, close };
  } catch (error) {
    close();
    throw error;
  }
}

interface Notices {
  tell(denial: EgressDenial): void;
  /** Adds the reported denials to a program's output. */
  beside(output: ProgramOutput): ProgramOutput;
}

function createNotices({ executionId }: SandboxLaunch, logger: Logger): Notices {
  const listeners: ((chunk: Buffer) => void)[] = [];
  const told = new Set<string>();
  return {
    tell({ target, reason }) {
      logger.warn(`A program was refused network access to ${target}: ${reason}`, { executionId, target, reason });
      // Report each target only once.
      if (told.has(target) || told.size >= MAX_TOLD) return;
      told.add(target);
      const line = Buffer.from(
        `[egress] Access to ${target.replaceAll(/[^\x20-\x7e]/g, '?')} was refused: ${reason}\n`,
      );
      for (const listener of listeners) listener(line);
    },
    beside: (output) => ({
      on(event, listener) {
        listeners.push(listener);
        return output.on(event, listener);
      },
      once: (event, listener) => output.once(event, listener),
      destroy: () => output.destroy(),
    }),
  };
}

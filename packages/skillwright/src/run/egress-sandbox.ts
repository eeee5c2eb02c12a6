import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgressProxy, type EgressDenial, type EgressProxy } from '../net/egress/egress-proxy.ts';
import { parseEgressRules } from '../net/egress/egress-rules.ts';
import { proxyVariables } from '../process/sandbox-launcher.ts';
import type { Logger } from '../spec/events/logger.ts';
import type { ProgramOutput, Sandbox, SandboxLaunch, SandboxProcess } from '../spec/sandbox.ts';

/** What programs that are granted the network may reach of it. */
export interface EgressOptions {
  /** Hosts: `api.example.com`, `*.pypi.org` for the names below it, either with a port. Without one: 80 and 443. */
  readonly allow: readonly string[];
  /** What of it may be reached although its address is not public: `mirror.internal:8080`, `10.0.0.0/8`. */
  readonly private?: readonly string[] | undefined;
}

/** What is told of denials in the output of one program. */
const MAX_TOLD = 20;

/**
 * A tier whose programs, where they are granted the network, get a proxy with a list instead. A tier that cannot keep
 * programs from the network is left as it is; one that does not know of the proxy gives them none at all.
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

/** Closed to other users, except the part that the program sees; its user is another one there. */
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
  /** The output, with what is told put between. */
  beside(output: ProgramOutput): ProgramOutput;
}

function createNotices({ executionId }: SandboxLaunch, logger: Logger): Notices {
  const listeners: ((chunk: Buffer) => void)[] = [];
  const told = new Set<string>();
  return {
    tell({ target, reason }) {
      logger.warn(`A program was kept from the network: ${target}: ${reason}`, { executionId, target, reason });
      // The same again says nothing new.
      if (told.has(target) || told.size >= MAX_TOLD) return;
      told.add(target);
      const line = Buffer.from(`[egress] ${target.replaceAll(/[^\x20-\x7e]/g, '?')} is not reached: ${reason}\n`);
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

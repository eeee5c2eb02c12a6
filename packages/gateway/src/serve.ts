import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { homedir } from 'node:os';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { DestinationStream } from 'pino';
import { SkillwrightError } from 'skillwright';
import { type TrustStore, followTrust, openUserTrustStore, trustRule } from 'skillwright/host';
import { createGateway, type Gateway } from './app.ts';
import { checkFirstKey, makeFirstKeys } from './auth/first-key.ts';
import type { Environment } from './config/environment.ts';
import type { ConfirmConfig } from './config/found-config.ts';
import { isolationWarnings } from './config/isolation-warnings.ts';
import { readConfig } from './config/read-config.ts';
import type { GatewayConfigInput } from './config/config.ts';
import { sandboxSettings } from './executions/sandbox-settings.ts';
import { GatewayError, messageOf, systemCode } from './spec/gateway-error.ts';

/** Options of `serve`. */
export interface ServeOptions {
  /** The working directory. Default: that of the process. */
  readonly cwd?: string;
  /** The environment. Default: that of the process. */
  readonly env?: Environment;
  /**
   * The configuration: JSON, or a module with a default export. Default: a `skillwright.config.json` in `cwd`, if the user
   * trusts that directory.
   */
  readonly file?: string | undefined;
  /** The home directory with the user's trust file. Default: that of the user who runs this process. */
  readonly home?: string;
  /** Asks a person whether to use a configuration that was found. Default: refuse it unless it is already trusted. */
  readonly confirmConfig?: ConfirmConfig | undefined;
  /** Settings that outrank the environment and the configuration file. */
  readonly overrides?: Partial<GatewayConfigInput>;
  /** Where log lines go. Default: standard error. */
  readonly logDestination?: DestinationStream;
}

/** A gateway on the network. */
export interface RunningGateway {
  readonly gateway: Gateway;
  /** The URL at which the gateway listens, such as `http://127.0.0.1:4747`. */
  readonly url: string;
  /** The configuration file; `undefined` if there is none. */
  readonly configFile: string | undefined;
  /** The first key, if this start made it. It is shown only once, and not stored. */
  readonly adminToken: string | undefined;
  /** A key with the scope `proxy`, made together with the first key. */
  readonly appKey: string | undefined;
  /** Warnings about settings that are valid but probably a mistake, each with a remedy. They are also logged. */
  readonly warnings: readonly string[];
  /** Refuses new requests, lets running ones end, and closes everything. Safe to call again. */
  close(): Promise<void>;
}

/** Starts a gateway: reads the configuration, opens the store and listens. A failure leaves nothing open. */
export async function serve(options: ServeOptions = {}): Promise<RunningGateway> {
  const { cwd = process.cwd(), env = process.env, home = homedir(), file, overrides = {}, logDestination } = options;
  const store = openUserTrustStore({ env, home, platform: process.platform }, { keepsBlocks: true });
  assertTrustKnown(store);
  const recorded = recordsOf(store);
  const read = await readConfig({ cwd, env, file, overrides, trust: store, confirm: options.confirmConfig });
  const { config, file: configFile, warnings: known } = read;
  const trust = trustRule(store, { named: read.namesSkills });
  const gateway = await createGateway(config, {
    env,
    trust,
    ...(logDestination === undefined ? {} : { logDestination }),
  });
  try {
    const { host } = config;
    await checkFirstKey(gateway.keys, { host, adminToken: env['SKILLWRIGHT_ADMIN_TOKEN'] });
    const probed = probeIsolation(gateway, env);
    const { url, close } = await listenWith(gateway);
    // Make the keys only once the gateway listens, because a failed start could not show them.
    const first = await makeFirstKeys(gateway.keys).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    const warnings = [...known, ...gateway.store.warnings, ...(await inTime(probed, PROBE_MS))];
    for (const warning of known) gateway.log.warn(warning);
    gateway.log.info({ url, configFile }, 'listening');
    gateway.log.flush();
    const unwatch = applyTrust(store, gateway, recorded);
    const end = (): Promise<void> => {
      unwatch();
      return close();
    };
    return { gateway, url, configFile, adminToken: first?.admin, appKey: first?.app, warnings, close: end };
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

/** Throws if the trust file cannot be read, because blocked skills must not run. */
function assertTrustKnown({ file, diagnostics: [problem] }: TrustStore): void {
  if (problem === undefined) return;
  const { message, hint } = problem;
  const text = `The gateway cannot start, because it cannot read what you trust. ${message}${hint === undefined ? '' : ` ${hint}`}`;
  throw new SkillwrightError('TrustFileUnusable', text, { data: { path: file } });
}

function recordsOf(store: TrustStore): string {
  return JSON.stringify([store.entries(), store.diagnostics]);
}

/** Applies changes of the trust file from now on, and those since `before`. Returns a function that stops this. */
function applyTrust(store: TrustStore, gateway: Gateway, before: string): () => void {
  const { file } = store;
  const refresh = (): void => {
    const [problem] = store.diagnostics;
    if (problem !== undefined)
      gateway.log.error(
        { file },
        `Blocked skills stay blocked, and no skill is trusted until the file is corrected. ${problem.message}`,
      );
    gateway
      .refreshSkills()
      .catch((error: unknown) => gateway.log.error({ err: error }, 'changes of the trust file could not be applied'));
  };
  const unfollow = followTrust(store, refresh);
  if (recordsOf(store) !== before) refresh();
  return unfollow;
}

/** How long a start waits for the check of the demanded isolation. The result is logged even if it comes later. */
const PROBE_MS = 1_000;
/** Built-ins that run code written by models. */
const CODE_BUILT_INS: ReadonlySet<string> = new Set(['eval_code', 'execute_command']);

async function probeIsolation(
  { config, registry: { current }, log }: Gateway,
  env: Environment,
): Promise<readonly string[]> {
  const runsCode = current.all.some(({ kind, name, enabled }) => {
    return kind === 'builtin' && enabled && CODE_BUILT_INS.has(name);
  });
  const { container } = sandboxSettings(config.sandbox);
  const warnings = await isolationWarnings({ config, container, path: env['PATH'], runsCode });
  for (const warning of warnings) log.warn(warning);
  return warnings;
}

/** Resolves with the warnings, or with none if the check takes longer than `ms`. */
async function inTime(warnings: Promise<readonly string[]>, ms: number): Promise<readonly string[]> {
  const over = new AbortController();
  const late = setTimeout(ms, [], { signal: over.signal, ref: false }).catch(() => []);
  const known = await Promise.race([warnings, late]);
  over.abort();
  return known;
}

/**
 * Makes a gateway listen at its configured address. @internal Tests use it for gateways without a configuration file
 * and a trust file.
 */
export async function listenWith(gateway: Gateway): Promise<Pick<RunningGateway, 'url' | 'close'>> {
  const server = createServer(listenerOf(gateway));
  // Node 22 silently drops headers after the 1,000th, which may include a proxy's. Their total size is bounded.
  server.maxHeadersCount = 0;
  const url = await listen(server, gateway.config.host, gateway.config.port);
  let closing: Promise<void> | undefined;
  return { url, close: () => (closing ??= closeAll(server, gateway)) };
}

/**
 * Passes requests to the gateway. Leaves the global `Request` and `Response` unchanged, because other code runs in this
 * process.
 */
function listenerOf({ fetch, fastPath }: Gateway): RequestListener {
  const listener = getRequestListener((request, env) => fetch(request, env as HttpBindings), {
    overrideGlobalObjects: false,
  });
  return (incoming, outgoing) => {
    // Read the address now, because Node forgets it once the client disconnects.
    void incoming.socket.remoteAddress;
    if (fastPath(incoming, outgoing)) return;
    Promise.resolve(listener(incoming, outgoing)).catch(() => outgoing.destroy());
  };
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    const text = messageOf(error);
    const isTaken = systemCode(error) === 'EADDRINUSE';
    const message = isTaken
      ? `Another program uses port ${port} of ${host}. Choose another port with --port, SKILLWRIGHT_PORT or "port"; 0 picks a free one.`
      : `The gateway cannot listen on port ${port} of ${host}: ${text}.`;
    throw new GatewayError('ListenFailed', message, {
      data: { host, port },
      cause: error,
    });
  }
  const { address, port: actual } = server.address() as AddressInfo;
  return `http://${address.includes(':') ? `[${address}]` : address}:${actual}`;
}

/** Closes idle connections at once, and other connections once their requests are answered. */
async function closeAll(server: Server, gateway: Gateway): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  await gateway.close();
  server.closeAllConnections();
  await closed;
}

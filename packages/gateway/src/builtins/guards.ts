import { join } from 'node:path';
import { type Logger, NetworkError } from 'skillwright';
import { createHttpClient, type HttpClient, createProgramRunner } from 'skillwright/host';
import type { Sandbox } from 'skillwright/sandbox';
import type { GatewayConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import type { HandlerContext } from '../executions/executor.ts';
import { sandboxSettings } from '../executions/sandbox-settings.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { type BrowserProxy, openBrowserProxy } from './browser/browser-proxy.ts';
import { createSandboxedScripts, type RunScript } from './sandboxed-scripts.ts';
import { createWorkspaceFiles, type WorkspaceWrite } from './workspace/workspace-files.ts';
import { createWorkspaceKeeper, type WorkspaceKeeper } from './workspace/workspace-keeper.ts';

/** Headers that identify the caller or decide how a message is routed and framed. Models may not set them. */
const REFUSED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'cookie',
  'set-cookie',
  'authorization',
  'proxy-authorization',
]);

/** The files of the caller's key. No path or link leads out of them. */
export interface Workspace {
  read(context: Pick<HandlerContext, 'apiKeyId'>, path: string): Promise<Buffer>;
  /** Replaces the file completely or leaves it unchanged. Resolves with the number of bytes written. */
  write(context: Pick<HandlerContext, 'apiKeyId'>, request: WorkspaceWrite): Promise<number>;
}

/**
 * Every way for a built-in to reach files, programs and the network. Built-ins use only these and import no unguarded
 * equivalent.
 */
export interface BuiltInGuards {
  /**
   * Sends a request to a public host or to a host that the operator allows. Removes headers that identify the caller.
   */
  readonly request: HttpClient['request'];
  readonly workspace: Workspace;
  /**
   * Runs a script in the workspace, in an allowed image and in a sandbox at least as strong as the operator demands.
   */
  readonly run: RunScript;
  /**
   * Opens a proxy for programs that make requests themselves. It reaches the same hosts as `request`. The caller closes
   * it.
   */
  readonly openProxy: () => Promise<BrowserProxy>;
}

export interface GuardOptions {
  readonly config: Pick<GatewayConfig, 'builtins' | 'sandbox' | 'data'>;
  /** Where the `PATH` for programs comes from. */
  readonly env: Environment;
  /** The directory of a tenant's files: `createWorkspaces(data)`. The tenant '' stands for callers without a key. */
  readonly workspaceOf: (tenant: string) => string;
  /** The host's own sandbox tiers, each of which replaces the built-in one. */
  readonly sandboxes?: readonly Sandbox[] | undefined;
  /** Logs what the sandbox kept programs from doing. Default: silent. */
  readonly logger?: Logger | undefined;
}

export interface OpenGuards extends BuiltInGuards {
  /** Closes connections and stops background removals. Running calls end by their own signals. Safe to call twice. */
  close(): Promise<void>;
}

/** The resources that one program may use, with all its processes together. */
const LIMITS = { memoryBytes: 1024 ** 3, processes: 100, diskBytes: 64 * 1024 ** 2, openFiles: 256 };
/** The only variables of the gateway's environment that programs see. */
const SHARED_VARIABLES = ['PATH', 'LANG', 'LC_ALL', 'TZ'];
export const USUAL_PATH: string = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const TIERS = ['process', 'bubblewrap', 'container'] as const;

/** Creates the guards. Each resource is opened on first use. */
export function openGuards(options: GuardOptions): OpenGuards {
  const { builtins } = options.config;
  const client = createHttpClient({ allow: builtins.allowHosts });
  const { workspaceBytes } = builtins;
  const keeper = createWorkspaceKeeper({ workspaceBytes, maxMemoryBytes: LIMITS.memoryBytes });
  return {
    async request(url, requestOptions = {}) {
      assertHeaders(requestOptions.headers ?? {});
      return client.request(url, requestOptions).catch(throwWithSetting);
    },
    workspace: openWorkspace(options),
    run: openScripts(options, keeper),
    openProxy: () => openBrowserProxy(builtins.allowHosts),
    async close() {
      await Promise.all([client.close(), keeper.close()]);
    },
  };
}

/** Rewrites the error to name the operator's setting, because the caller has no client to configure. */
function throwWithSetting(error: unknown): never {
  if (!NetworkError.isInstance(error) || error.code !== 'AddressNotAllowed' || error.data.kind === undefined)
    throw error;
  const { host, port, address } = error.data;
  const message =
    `Host '${String(host)}' resolves to ${String(address)}, which is not a public address. ` +
    `To allow it, the gateway's operator can add '${String(host)}:${String(port)}' to 'builtins.allowHosts'.`;
  throw new NetworkError('AddressNotAllowed', message, { data: error.data, cause: error });
}

function openWorkspace({ config, workspaceOf }: GuardOptions): Workspace {
  const files = createWorkspaceFiles(config.builtins);
  return {
    read: ({ apiKeyId }, path) => files.read(workspaceOf(apiKeyId ?? ''), path),
    write: ({ apiKeyId }, request) => files.write(workspaceOf(apiKeyId ?? ''), request),
  };
}

function openScripts(
  { config, env, workspaceOf, sandboxes, logger }: GuardOptions,
  keeper: WorkspaceKeeper,
): RunScript {
  const { builtins, sandbox, data } = config;
  const shared = SHARED_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const programEnv = { PATH: USUAL_PATH, ...Object.fromEntries(shared) };
  return createSandboxedScripts({
    runner: createProgramRunner({
      min: stronger(builtins.minIsolation, sandbox.min),
      path: programEnv.PATH,
      limits: { ...LIMITS, fileBytes: Math.min(LIMITS.diskBytes, builtins.workspaceBytes) },
      sandboxes,
      logger,
      ...sandboxSettings(sandbox),
    }),
    scriptsDir: join(data, 'skills', 'scripts'),
    workspaceOf,
    env: programEnv,
    keeper,
    maxOutputChars: builtins.maxSandboxOutputChars,
    networkEnabled: builtins.sandboxNetworkEnabled,
  });
}

function stronger(a: (typeof TIERS)[number], b: (typeof TIERS)[number]): (typeof TIERS)[number] {
  return TIERS.indexOf(a) >= TIERS.indexOf(b) ? a : b;
}

/** Throws `InvalidInput` that names the headers that models may not set. */
function assertHeaders(headers: Readonly<Record<string, string>>): void {
  const refused = Object.keys(headers).filter((name) => REFUSED.has(name.trim().toLowerCase()));
  if (refused.length === 0) return;
  throw new GatewayError(
    'InvalidInput',
    `Skills may not set these headers: ${refused.join(', ')}. Remove them from the request.`,
    { data: { headers: refused } },
  );
}

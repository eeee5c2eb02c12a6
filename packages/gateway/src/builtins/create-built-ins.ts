import { join } from 'node:path';
import { createHttpClient, type HttpClient, type Logger, type Sandbox } from 'skillwright';
import { createProgramRunner } from 'skillwright/host';
import type { GatewayConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { sandboxSettings } from '../executions/sandbox-settings.ts';
import type { Clock } from '../spec/clock.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { BRAVE_URL, createBraveSearch } from './brave-search.ts';
import { createBrowser } from './browser.ts';
import type { BuiltIns } from './builtin.ts';
import { createCodeBuiltIns } from './code-built-ins.ts';
import { createFileBuiltIns } from './file-built-ins.ts';
import { createHttpRequest } from './http-request.ts';
import { createSandboxedScripts, type RunScript } from './sandboxed-scripts.ts';
import type { SearchProvider } from './search-provider.ts';
import { createSearxngSearch } from './searxng-search.ts';
import { createWebSearch } from './web-search.ts';
import { createWorkspaceFiles } from './workspace-files.ts';

export interface BuiltInsOptions {
  readonly config: Pick<GatewayConfig, 'builtins' | 'sandbox' | 'data'>;
  /** Where the search's key and the `PATH` of programs are looked up. */
  readonly env: Environment;
  /** Where a tenant's files are: `createWorkspaces(data)`. Tenant '' is whoever has no key. */
  readonly workspaceOf: (tenant: string) => string;
  readonly now: Clock;
  /** Tiers of the host's own, each in place of the built-in one. */
  readonly sandboxes?: readonly Sandbox[] | undefined;
  /** Is told what programs were kept from. Default: silent. */
  readonly logger?: Logger | undefined;
  /** A search of the host's own, in place of the configured one. */
  readonly search?: SearchProvider | undefined;
  /** Loads Playwright. Default: `playwright-core`, where it is installed. */
  readonly loadPlaywright?: (() => Promise<unknown>) | undefined;
}

/** As much as one program may take of the machine; a JavaScript engine gets what it reserves besides. */
const LIMITS = { memoryBytes: 256 * 1024 ** 2, processes: 100, diskBytes: 64 * 1024 ** 2 };
/** Of the gateway's own environment, all that programs see. */
const SHARED_VARIABLES = ['PATH', 'LANG', 'LC_ALL', 'TZ'];
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const TIERS = ['process', 'bubblewrap', 'container'] as const;

/** The skills that the gateway brings itself. Nothing is opened before one is called. */
export function createBuiltIns(options: BuiltInsOptions): BuiltIns {
  const { config, workspaceOf, now } = options;
  const { builtins } = config;
  const client = createHttpClient({ allow: builtins.allowHosts });
  const searching = openSearch(options);
  const files = createWorkspaceFiles(builtins);
  return {
    all: [
      ...createFileBuiltIns({ files, maxFileBytes: builtins.maxFileBytes, workspaceOf }),
      createHttpRequest({ client, maxResponseBytes: builtins.maxHttpResponseBytes }),
      createWebSearch({ provider: options.search ?? searching?.provider, now }),
      ...createCodeBuiltIns({ run: openScripts(options), timeoutMs: builtins.sandboxTimeoutMs }),
      createBrowser({
        program: builtins.browserProgram === '' ? undefined : builtins.browserProgram,
        path: options.env['PATH'] ?? USUAL_PATH,
        allowHosts: builtins.allowHosts,
        async save(tenant, path, content) {
          await files.write(workspaceOf(tenant), { path, content, append: false, overwrite: true });
        },
        load: options.loadPlaywright,
      }),
    ],
    async close() {
      await Promise.all([client.close(), searching?.client.close()]);
    },
  };
}

function openScripts({ config, env, workspaceOf, sandboxes, logger }: BuiltInsOptions): RunScript {
  const { builtins, sandbox, data } = config;
  const shared = SHARED_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const programEnv = { PATH: USUAL_PATH, ...Object.fromEntries(shared) };
  return createSandboxedScripts({
    runner: createProgramRunner({
      min: stronger(builtins.minIsolation, sandbox.min),
      path: programEnv.PATH,
      limits: LIMITS,
      sandboxes,
      logger,
      ...sandboxSettings(sandbox),
    }),
    scriptsDir: join(data, 'skills', 'scripts'),
    workspaceOf,
    env: programEnv,
    workspaceBytes: builtins.workspaceBytes,
    maxOutputChars: builtins.maxSandboxOutputChars,
    networkEnabled: builtins.sandboxNetworkEnabled,
  });
}

function stronger(a: (typeof TIERS)[number], b: (typeof TIERS)[number]): (typeof TIERS)[number] {
  return TIERS.indexOf(a) >= TIERS.indexOf(b) ? a : b;
}

/** The search of the configuration, with a client of its own: the operator may name a SearXNG that is not public. */
function openSearch({
  config: { builtins },
  env,
}: BuiltInsOptions): { readonly provider: SearchProvider; readonly client: HttpClient } | undefined {
  const { searchProvider, searchUrl, searchKeyEnv } = builtins;
  if (searchProvider === 'none') return undefined;
  const key = env[searchKeyEnv] ?? '';
  if (searchProvider === 'searxng' && searchUrl === '')
    throw incomplete("'builtins.searchProvider' is searxng, and 'builtins.searchUrl' does not say where it is");
  if (searchProvider === 'brave' && key === '')
    throw incomplete(`'builtins.searchProvider' is brave, and the variable ${searchKeyEnv} has no key for it`);
  const baseUrl = searchUrl === '' ? BRAVE_URL : searchUrl;
  const client = createHttpClient({ allow: searchUrl === '' ? [] : [authorityOf(searchUrl)] });
  const provider =
    searchProvider === 'brave' ? createBraveSearch({ client, baseUrl, key }) : createSearxngSearch({ client, baseUrl });
  return { provider, client };
}

/** `host:port`, as an allow-list takes it. */
function authorityOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}

function incomplete(problem: string): GatewayError {
  return new GatewayError('InvalidConfiguration', `The configuration cannot be used: ${problem}.`);
}

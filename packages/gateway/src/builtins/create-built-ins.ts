import { createHttpClient, type HttpClient } from 'skillwright/host';
import type { Clock } from '../spec/clock.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { BRAVE_URL, createBraveSearch, type SearchProvider, createSearxngSearch } from './search/search-providers.ts';
import { createBrowser } from './browser/browser.ts';
import type { BuiltIns } from './builtin.ts';
import { createCodeBuiltIns } from './code-built-ins.ts';
import { createFileBuiltIns } from './file-built-ins.ts';
import { openGuards, USUAL_PATH, type GuardOptions } from './guards.ts';
import { createHttpRequest } from './http-request.ts';
import { createWebSearch } from './search/web-search.ts';

export interface BuiltInsOptions extends GuardOptions {
  readonly now: Clock;
  /** The host's own search, which replaces the configured search. */
  readonly search?: SearchProvider | undefined;
  /** Loads Playwright. Default: `playwright-core`, if it is installed. */
  readonly loadPlaywright?: (() => Promise<unknown>) | undefined;
}

/** Creates the gateway's own skills. Opens nothing before the first call. */
export function createBuiltIns(options: BuiltInsOptions): BuiltIns {
  const { builtins } = options.config;
  const guards = openGuards(options);
  const searching = openSearch(options);
  return {
    all: [
      ...createFileBuiltIns(guards, builtins),
      createHttpRequest(guards, builtins),
      createWebSearch({ provider: options.search ?? searching?.provider, now: options.now }),
      ...createCodeBuiltIns(guards, builtins),
      createBrowser(guards, {
        program: builtins.browserProgram === '' ? undefined : builtins.browserProgram,
        path: options.env['PATH'] ?? USUAL_PATH,
        load: options.loadPlaywright,
      }),
    ],
    async close() {
      await Promise.all([guards.close(), searching?.client.close()]);
    },
  };
}

/**
 * Opens the configured search. The search has its own HTTP client, because the operator may name a SearXNG server that
 * is not public.
 */
function openSearch({
  config: { builtins },
  env,
}: BuiltInsOptions): { readonly provider: SearchProvider; readonly client: HttpClient } | undefined {
  const { searchProvider, searchUrl, searchKeyEnv } = builtins;
  if (searchProvider === 'none') return undefined;
  const key = env[searchKeyEnv] ?? '';
  if (searchProvider === 'searxng' && searchUrl === '')
    throw incomplete("'builtins.searchProvider' is searxng, but 'builtins.searchUrl' is not set");
  if (searchProvider === 'brave' && key === '')
    throw incomplete(`'builtins.searchProvider' is brave, but the variable ${searchKeyEnv} has no key`);
  const baseUrl = searchUrl === '' ? BRAVE_URL : searchUrl;
  const client = createHttpClient({ allow: searchUrl === '' ? [] : [authorityOf(searchUrl)] });
  const provider =
    searchProvider === 'brave' ? createBraveSearch({ client, baseUrl, key }) : createSearxngSearch({ client, baseUrl });
  return { provider, client };
}

/** `host:port`, the form of an entry in an allow-list. */
function authorityOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}

function incomplete(problem: string): GatewayError {
  return new GatewayError('InvalidConfiguration', `The configuration is invalid: ${problem}.`);
}

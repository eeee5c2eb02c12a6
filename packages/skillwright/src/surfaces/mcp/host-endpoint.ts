import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { SkillsHost } from '../../faces/host/skills-host.ts';
import { SkillsProvider } from '../../faces/provider/skills-provider.ts';
import { servedByProvider } from './provider-skills.ts';
import { createSkillsServer } from './skills-server.ts';

/**
 * How many tenants' MCP servers are kept. When there are more, the least recently used server is dropped, with its
 * activations.
 */
const MAX_TENANTS = 1_000;

/** Options of `createMcpEndpoint`. */
export interface McpEndpointOptions {
  /** Qualified names of the skills in the host's snapshot that a tenant may use now. */
  readonly skillsOf: (tenant: string) => readonly string[];
  /** The working directory for a tenant's scripts and tools. */
  readonly workDirOf: (tenant: string) => string;
  /** Gets errors that happened outside a request. */
  readonly onError: (error: Error) => void;
}

/**
 * The skills of a host over streamable HTTP. The endpoint authenticates nobody and checks neither `Host` nor `Origin`:
 * the HTTP server that calls it must do both.
 */
export interface McpEndpoint {
  /** Answers one request of a tenant. `body` is the parsed JSON of a POST. */
  answer(request: Request, caller: { readonly tenant: string; readonly body?: unknown }): Promise<Response>;
  /** Ends the requests in progress. */
  close(): Promise<void>;
}

/** Serves the skills of a host to many tenants, without sessions. */
export function createMcpEndpoint(host: SkillsHost, options: McpEndpointOptions): McpEndpoint {
  const servers = new Map<string, McpServerFactory>();
  const onUnpublished = (message: string): void => options.onError(new Error(message));
  const serverOf = (tenant: string): McpServerFactory => {
    const server = servers.get(tenant) ?? createSkillsServer(servedToTenant(host, tenant, options), { onUnpublished });
    servers.delete(tenant);
    servers.set(tenant, server);
    const [oldest = tenant] = servers.keys();
    if (servers.size > MAX_TENANTS) servers.delete(oldest);
    return server;
  };
  const handler = createMcpHandler((context) => serverOf(context.authInfo?.clientId ?? '')(context), {
    onerror: options.onError,
  });
  return {
    answer: (request, { tenant, body }) =>
      handler.fetch(request, {
        authInfo: { token: '', clientId: tenant, scopes: [] },
        ...(body === undefined ? {} : { parsedBody: body }),
      }),
    close: () => handler.close(),
  };
}

function servedToTenant(
  host: SkillsHost,
  tenant: string,
  { skillsOf, workDirOf }: McpEndpointOptions,
): ReturnType<typeof servedByProvider> {
  const projectDir = workDirOf(tenant);
  let current:
    | { readonly key: string; readonly names: ReadonlySet<string>; readonly provider: SkillsProvider }
    | undefined;
  let snapshot = host.snapshot;
  /** The tenant's provider. A new one is made only if the tenant's skills or the host's snapshot changed. */
  const renewed = (): NonNullable<typeof current> => {
    const include = skillsOf(tenant);
    const key = JSON.stringify(include);
    if (current?.key === key && snapshot === host.snapshot) return current;
    snapshot = host.snapshot;
    const runtime = { ...host.runtime, runner: host.runner };
    const provider = new SkillsProvider(runtime, { include, cwd: projectDir }, { snapshot, createSdkTools: () => [] });
    return (current = { key, names: new Set(include), provider });
  };
  return servedByProvider({
    provider: () => renewed().provider,
    runtime: host.runtime,
    tenant,
    projectDir,
    has: ({ qualifiedName }) => renewed().names.has(qualifiedName),
    followOutput: () => () => {},
  });
}

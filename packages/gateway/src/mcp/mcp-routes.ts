import { Hono } from 'hono';
import type { McpEndpoint } from 'skillwright/mcp';
import { apiKeyIdOf } from '../executions/tenant.ts';
import { readAnyJson } from '../http/body/request-body.ts';
import type { GatewayEnv } from '../http/gateway-env.ts';
import type { GatewayParts } from '../parts.ts';

type McpParts = Pick<
  GatewayParts,
  'config' | 'guard' | 'skills' | 'registry' | 'store' | 'workDirOf' | 'log' | 'stopping'
>;

/**
 * Serves the skills that a key may use over MCP. Every call runs under the registry's policies and is recorded, like
 * calls of proxied requests. Keys need the scope `execute`; `Host` and `Origin` are checked for every route.
 */
export function createMcpRoutes(parts: McpParts): Hono<GatewayEnv> {
  const { config, guard, registry, stopping } = parts;
  const routes = new Hono<GatewayEnv>();
  let endpoint: Promise<McpEndpoint> | undefined;
  routes.all('/mcp', guard('execute'), async (context) => {
    endpoint ??= openEndpoint(parts);
    const { tenant } = context.get('caller');
    const request = context.req.raw;
    const body = request.method === 'POST' ? (await readAnyJson(context, config.limits)).value : undefined;
    const [opened] = await Promise.all([endpoint, registry.fresh()]);
    const signal = AbortSignal.any([request.signal, stopping]);
    const { url, method, headers } = request;
    return opened.answer(new Request(url, { method, headers, signal }), { tenant, body });
  });
  return routes;
}

/**
 * Creates the endpoint. The protocol's library is loaded only with the first request, because loading it takes a while.
 */
async function openEndpoint({ skills, registry, store, workDirOf, log, stopping }: McpParts): Promise<McpEndpoint> {
  const { createMcpEndpoint } = await import('skillwright/mcp');
  const endpoint = createMcpEndpoint(skills, {
    workDirOf,
    skillsOf(tenant) {
      const { skillsEnabled, customSkillExecutionEnabled } = store.settings.current;
      if (!skillsEnabled || !customSkillExecutionEnabled) return [];
      const apiKeyId = apiKeyIdOf(tenant);
      const isOn = (name: string): boolean => (registry.current.packageMode(name, apiKeyId) ?? 'off') !== 'off';
      return skills.snapshot.skills.filter(({ name }) => isOn(name)).map(({ qualifiedName }) => qualifiedName);
    },
    onError: (error) => log.warn({ err: error }, 'a problem while serving MCP'),
  });
  stopping.addEventListener('abort', () => void endpoint.close(), { once: true });
  return endpoint;
}

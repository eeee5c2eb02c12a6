import { Hono } from 'hono';
import type { SkillsHost } from 'skillwright/host';
import type { McpEndpoint } from 'skillwright/mcp';
import { createUnnamedRunner } from '../executions/requests/model-runner.ts';
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
    const request = context.req.raw;
    if (request.method !== 'POST') return refusal(405, METHOD_NOT_ALLOWED, { allow: 'POST' });
    const { value: body } = await readAnyJson(context, config.limits);
    // A batch would count as one request towards the limits of its key.
    if (Array.isArray(body)) return refusal(400, BATCH);
    endpoint ??= openEndpoint(parts);
    const { tenant } = context.get('caller');
    const [opened] = await Promise.all([endpoint, registry.fresh()]);
    const signal = AbortSignal.any([request.signal, stopping]);
    const { url, method, headers } = request;
    return opened.answer(new Request(url, { method, headers, signal }), { tenant, body });
  });
  return routes;
}

const METHOD_NOT_ALLOWED = { code: -32_000, message: 'Method not allowed. Use POST.' };
const BATCH = { code: -32_600, message: 'Batches are not supported. Send each message in a request of its own.' };

/** A JSON-RPC error. Its id is null, as for every message that was not read. */
function refusal(
  status: number,
  error: { readonly code: number; readonly message: string },
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers });
}

/**
 * Creates the endpoint. The protocol's library is loaded only with the first request, because loading it takes a while.
 */
async function openEndpoint({ skills, registry, store, workDirOf, log, stopping }: McpParts): Promise<McpEndpoint> {
  const { createMcpEndpoint } = await import('skillwright/mcp');
  const endpoint = createMcpEndpoint(withoutSessions(skills), {
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

/** The same skills for clients that do not name conversations, so that approvals know that each call stands alone. */
function withoutSessions(skills: SkillsHost): SkillsHost {
  return {
    ...skills,
    get snapshot() {
      return skills.snapshot;
    },
    runner: createUnnamedRunner(skills.runner),
  };
}

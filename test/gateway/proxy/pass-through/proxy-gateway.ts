import type { WireFormatName } from 'skillwright/wire';
import { onTestFinished } from 'vitest';
import { openGateway, type Gateway, type MakeRoutes } from '../../../../packages/gateway/src/app.ts';
import type { GatewayConfigInput, UpstreamConfig } from '../../../../packages/gateway/src/config/config.ts';
import type { GatewayContext } from '../../../../packages/gateway/src/http/gateway-env.ts';
import { readBody } from '../../../../packages/gateway/src/http/body/request-body.ts';
import { createPassThroughRoutes } from '../../../../packages/gateway/src/proxy/pass-through/pass-through-routes.ts';
import {
  createPassThrough,
  type PassThrough,
} from '../../../../packages/gateway/src/proxy/pass-through/pass-through.ts';
import { createModelRoutes } from '../../../../packages/gateway/src/proxy/model-list-routes.ts';
import type { UpstreamTimes } from '../../../../packages/gateway/src/upstream/call-upstream.ts';
import { failureResponse } from '../../../../packages/gateway/src/upstream/failure-response.ts';
import { createUpstreams, type Upstreams } from '../../../../packages/gateway/src/upstream/upstreams.ts';
import { startListening, type ListeningGateway } from '../../listening-gateway.ts';
import { makeDataDirectory } from '../../store/data-directory.ts';

export interface ProxyGatewayOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: GatewayConfigInput;
  readonly times?: UpstreamTimes;
}

export interface ProxyGateway extends ListeningGateway {
  readonly upstreams: Upstreams;
}

/** An upstream in tests: its id is its format, and it has every model. */
export type TestUpstream = Pick<UpstreamConfig, 'format' | 'baseUrl'> & Partial<UpstreamConfig>;

/** Starts a gateway on loopback that passes everything through. Closed after the test. */
export async function startProxy(
  given: readonly TestUpstream[],
  options: ProxyGatewayOptions = {},
): Promise<ProxyGateway> {
  const { env = {}, config = {}, times = {} } = options;
  const settings = given.map((one): UpstreamConfig => ({ id: one.format, models: ['*'], forwardKeys: false, ...one }));
  const upstreams = createUpstreams({ upstreams: settings }, env);
  const allowance = { requestsPerMinute: 100_000, concurrentRequests: 10_000, shutdownMs: 0 };
  const limits = { ...allowance, ...config.limits };
  const gatewayConfig = { data: makeDataDirectory(), port: 0, anonymous: 'skills', ...config, limits } as const;
  onTestFinished(() => upstreams.close());
  const listening = await startListening((log) =>
    openGateway(gatewayConfig, { env, ...log }, [passingRoutes(upstreams, times)]),
  );
  return { ...listening, upstreams };
}

/** The real routes, but with model endpoints that never add skills. */
function passingRoutes(upstreams: Upstreams, times: UpstreamTimes): MakeRoutes {
  return (parts) => {
    const passThrough = createPassThrough({ ...parts, times });
    const routes = createPassThroughRoutes({ ...parts, upstreams, passThrough });
    routes.route('/', createModelRoutes({ ...parts, upstreams, passThrough }));
    const pass = (format: WireFormatName) => (context: GatewayContext) =>
      passModel(context, format, { upstreams, passThrough, limits: parts.config.limits });
    routes.post('/v1/chat/completions', parts.guard('proxy'), pass('openai-chat'));
    routes.post('/v1/responses', parts.guard('proxy'), pass('openai-responses'));
    routes.post('/v1/messages', parts.guard('proxy'), pass('anthropic-messages'));
    routes.post('/v1beta/models/:call{.+}', parts.guard('proxy'), pass('gemini'));
    return routes;
  };
}

interface Passing {
  readonly upstreams: Upstreams;
  readonly passThrough: PassThrough;
  readonly limits: Gateway['config']['limits'];
}

async function passModel(context: GatewayContext, format: WireFormatName, passing: Passing): Promise<Response> {
  const body = await readBody(context, passing.limits);
  const named = context.req.param('call')?.replace(/:\w+$/, '');
  const model = named ?? /"model":\s*"([^"]*)"/.exec(body.toString('latin1', 0, 200))?.[1] ?? 'any';
  const upstream = passing.upstreams.route(format, model);
  if (upstream === undefined)
    return failureResponse(format, passing.upstreams.unknownModel(format, model), context.get('requestId'));
  return passing.passThrough(context, upstream, { body, headers: { 'x-skillwright-skipped': 'test' } });
}

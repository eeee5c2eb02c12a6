import { connect } from 'node:net';
import { openGateway, type GatewayOptions, type MakeRoutes } from '../../packages/gateway/src/app.ts';
import type { GatewayConfigInput } from '../../packages/gateway/src/config/config.ts';
import { readBody, readJson } from '../../packages/gateway/src/http/body/request-body.ts';
import { createHealthRoutes, createMetricsRoutes } from '../../packages/gateway/src/pages/probe-routes.ts';
import { startListening, type ListeningGateway } from './listening-gateway.ts';
import { makeDataDirectory } from './store/data-directory.ts';

/** Routes with each kind of guard, beside the real ones. */
const testRoutes: MakeRoutes = (parts) => {
  const { config, guard, stopping } = parts;
  const routes = createHealthRoutes(parts);
  routes.get('/manage', guard('manage'), (context) => context.json(context.get('caller')));
  routes.get('/execute', guard('execute', 'manage'), (context) => context.json(context.get('caller')));
  routes.all('/proxy', guard('proxy'), (context) => context.json(context.get('caller')));
  routes.post('/json', async (context) => context.json((await readJson(context, config.limits)).value));
  routes.post('/bytes', async (context) => context.text(String((await readBody(context, config.limits)).length)));
  routes.get('/defect', () => {
    throw new TypeError('a secret of the inside');
  });
  routes.get('/slow', guard('proxy'), () => {
    const left = new AbortController();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from('first'));
        stopping.addEventListener('abort', () => controller.close(), { signal: left.signal });
      },
      cancel: () => left.abort(),
    });
    return new Response(stream);
  });
  return routes;
};

/** Starts a gateway on loopback with the routes above. Closed after the test. */
export async function startGateway(
  config: GatewayConfigInput = {},
  options: Omit<GatewayOptions, 'logDestination'> = {},
): Promise<ListeningGateway> {
  const limits = { shutdownMs: 0, ...config.limits };
  const settings = { data: makeDataDirectory(), port: 0, anonymous: 'skills', ...config, limits } as const;
  return startListening((log) => openGateway(settings, { ...options, ...log }, [createMetricsRoutes, testRoutes]));
}

/** Sends exactly these bytes, and returns everything received until the connection ends. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('latin1').on('data', (chunk: string) => void (answer += chunk));
    socket.on('close', () => resolve(answer)).on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
  });
}

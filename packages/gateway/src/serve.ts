import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DestinationStream } from 'pino';
import { createGateway, type Gateway } from './app.ts';
import { ensureFirstKey } from './auth/first-key.ts';
import type { Environment } from './config/environment.ts';
import { readConfig } from './config/read-config.ts';
import type { GatewayConfigInput } from './config/config.ts';
import { GatewayError } from './spec/gateway-error.ts';

export interface ServeOptions {
  /** Default: the process's own. */
  readonly cwd?: string;
  /** Default: the process's own. */
  readonly env?: Environment;
  /** The configuration: JSON, or a module with a default export. Default: `skillwright.config.json`, if there is one. */
  readonly file?: string | undefined;
  /** Goes before the environment and the file. */
  readonly overrides?: Partial<GatewayConfigInput>;
  /** Default: standard error. */
  readonly logDestination?: DestinationStream;
}

/** A gateway on the network. */
export interface RunningGateway {
  readonly gateway: Gateway;
  /** Where it listens, such as `http://127.0.0.1:4747`. */
  readonly url: string;
  /** The file of the configuration; `undefined` when there is none. */
  readonly configFile: string | undefined;
  /** The first key, if this start made it. It is shown this once and stored nowhere. */
  readonly adminToken: string | undefined;
  /** Takes no new requests, lets those under way end, and closes everything. May be called again. */
  close(): Promise<void>;
}

/** Reads the configuration, opens the store and listens. What fails leaves nothing open. */
export async function serve(options: ServeOptions = {}): Promise<RunningGateway> {
  const { cwd = process.cwd(), env = process.env, file, overrides = {}, logDestination } = options;
  const { config, file: configFile } = await readConfig({ cwd, env, file, overrides });
  const gateway = await createGateway(config, { env, ...(logDestination === undefined ? {} : { logDestination }) });
  try {
    const { host } = config;
    const adminToken = await ensureFirstKey(gateway.keys, { host, adminToken: env['SKILLWRIGHT_ADMIN_TOKEN'] });
    const { url, close } = await listenWith(gateway);
    gateway.log.info({ url, configFile }, 'listening');
    return { gateway, url, configFile, adminToken, close };
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

/** Puts a gateway on the network, where its configuration says. */
export async function listenWith(gateway: Gateway): Promise<Pick<RunningGateway, 'url' | 'close'>> {
  const server = createServer(listenerOf(gateway));
  const url = await listen(server, gateway.config.host, gateway.config.port);
  let closing: Promise<void> | undefined;
  return { url, close: () => (closing ??= closeAll(server, gateway)) };
}

/** The globals stay what they are: other code lives in this process, too. */
function listenerOf({ fetch }: Gateway): RequestListener {
  const listener = getRequestListener((request, env) => fetch(request, env as HttpBindings), {
    overrideGlobalObjects: false,
  });
  return (incoming, outgoing) => void listener(incoming, outgoing);
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
    const text = error instanceof Error ? error.message : String(error);
    throw new GatewayError('ListenFailed', `The gateway cannot listen on ${host}, port ${port}: ${text}.`, {
      data: { host, port },
      cause: error,
    });
  }
  const { address, port: actual } = server.address() as AddressInfo;
  return `http://${address.includes(':') ? `[${address}]` : address}:${actual}`;
}

/** Connections that wait for another request end at once; the others when theirs is answered. */
async function closeAll(server: Server, gateway: Gateway): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  await gateway.close();
  server.closeAllConnections();
  await closed;
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MeasuredProcess, startProcess } from './measured-process.ts';

export const DIRECT = 'upstream alone';
export const NODE_PROXY = 'bare Node proxy';
export const OURS = 'gateway, passed through';
export const INJECTED = 'gateway, 100 skills';
export const PORTKEY = 'Portkey';

/** A way from a client to the upstream. */
export interface Contender {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The process between client and upstream; `undefined` if there is none. */
  readonly process: MeasuredProcess | undefined;
}

export interface Field {
  readonly upstream: MeasuredProcess;
  readonly gateway: MeasuredProcess;
  readonly contenders: readonly Contender[];
  stop(): Promise<void>;
}

/** A gateway's address, and a key for it. */
interface GatewayPlace {
  readonly port: number;
  readonly key: string;
}

const PATH = '/v1/chat/completions';
const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer placeholder' };
const PEERS = new URL('peers/', import.meta.url);

/** Starts every server in its own process. */
export async function startField(root: string, skills: string, withPeers: boolean): Promise<Field> {
  const processes: MeasuredProcess[] = [];
  const start = (...args: Parameters<typeof startProcess>): MeasuredProcess => {
    const started = startProcess(...args);
    processes.push(started);
    return started;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((one) => one.stop()));
  };
  try {
    const upstream = start(new URL('servers/upstream.ts', import.meta.url));
    const upstreamPort = await upstream.message<number>('listening');
    const proxy = start(new URL('servers/node-proxy.ts', import.meta.url), [String(upstreamPort)]);
    const proxyPort = await proxy.message<number>('listening');
    const startGateway = (name: string): MeasuredProcess =>
      start(new URL('servers/gateway.ts', import.meta.url), [join(root, name), String(upstreamPort), skills]);
    // Start one gateway for each row, so that no row pays for work left over from the requests of another row.
    const passing = startGateway('passing');
    const passingAt = await passing.message<GatewayPlace>('listening');
    const gateway = startGateway('injecting');
    const gatewayAt = await gateway.message<GatewayPlace>('listening');
    const contenders: Contender[] = [
      { name: DIRECT, url: at(upstreamPort), headers: HEADERS, process: undefined },
      { name: NODE_PROXY, url: at(proxyPort), headers: HEADERS, process: proxy },
      {
        name: OURS,
        url: at(passingAt.port),
        headers: { ...headersOf(passingAt), 'x-skillwright-mode': 'off' },
        process: passing,
      },
      { name: INJECTED, url: at(gatewayAt.port), headers: headersOf(gatewayAt), process: gateway },
    ];
    if (withPeers) contenders.push(await startPortkey(start, upstreamPort));
    return { upstream, gateway, contenders, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function headersOf({ key }: GatewayPlace): Record<string, string> {
  return { ...HEADERS, authorization: `Bearer ${key}` };
}

function at(port: number): string {
  return `http://127.0.0.1:${port}${PATH}`;
}

async function startPortkey(start: typeof startProcess, upstreamPort: number): Promise<Contender> {
  const port = await freePort();
  const file = join(fileURLToPath(PEERS), 'node_modules/@portkey-ai/gateway/build/start-server.js');
  const process = start(file, ['--headless', `--port=${port}`]);
  const headers = {
    ...HEADERS,
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
  };
  await Promise.race([untilAnswers(port), process.message<never>('never')]);
  return { name: PORTKEY, url: at(port), headers, process };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilAnswers(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await delay(100);
  }
  throw new Error('Portkey did not start within 30 s');
}

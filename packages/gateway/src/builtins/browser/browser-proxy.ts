import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgressProxy, type EgressDenial } from 'skillwright/sandbox';

/** A browser's only way to the network: to public hosts, and to hosts that the operator allows. */
export interface BrowserProxy {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /** The refused requests. */
  readonly denials: readonly EgressDenial[];
  close(): Promise<void>;
}

const MAX_DENIALS = 50;
const EVERYTHING = { permits: () => true };

/** Opens the guarded proxy on a loopback port, because browsers need an address. */
export async function openBrowserProxy(allowHosts: readonly string[]): Promise<BrowserProxy> {
  const denials: EgressDenial[] = [];
  const proxy = createEgressProxy({
    rules: EVERYTHING,
    private: allowHosts,
    onDenied: (denial) => {
      if (denials.length < MAX_DENIALS) denials.push(denial);
    },
  });
  const directory = await mkdtemp(join(tmpdir(), 'skillwright-browser-'));
  const path = join(directory, 'proxy');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => joinSockets(socket, connect(path), sockets));
  const close = async (): Promise<void> => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
    if (server.listening) await closed(server);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await proxy.listen(path);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, denials, close };
}

/** Pipes each socket into the other. When one closes, so does the other. */
function joinSockets(one: Socket, other: Socket, sockets: Set<Socket>): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    sockets.add(from);
    from.on('error', () => {});
    from.once('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  }
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

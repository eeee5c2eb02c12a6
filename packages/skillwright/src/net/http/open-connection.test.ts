import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAllowList } from '../egress/allow-list.ts';
import { openConnection, type ConnectionOptions } from './open-connection.ts';
import { roundTripOf } from './stale-connection.ts';

let server: Server;
let port: number;
let received: string[];

beforeEach(async () => {
  received = [];
  server = createServer((socket) => socket.on('data', (data) => received.push(String(data))).on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterEach(async () => {
  server.close();
  await once(server, 'close');
});

function options(addresses: readonly string[], more: Partial<ConnectionOptions> = {}): ConnectionOptions {
  const guard = { resolve: async () => addresses, allow: createAllowList(['127.0.0.1', '127.0.0.2']) };
  return { guard, timeoutMs: 10_000, ...more };
}

const { signal } = new AbortController();

describe('openConnection', () => {
  it('connects to the checked address', async () => {
    const socket = await openConnection({ host: 'a.example', port, secure: false }, signal, options(['127.0.0.1']));
    expect(socket.remoteAddress).toBe('127.0.0.1');
    expect(roundTripOf(socket)).toBeGreaterThan(0);
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
  });

  it.each([false, true])(
    'closes a connection that reached another address, before sending a byte (TLS: %s)',
    async (secure) => {
      const accepted = once(server, 'connection');
      const diverted = options(['127.0.0.2'], { open: () => connect({ host: '127.0.0.1', port }) });
      await expect(openConnection({ host: 'a.example', port, secure }, signal, diverted)).rejects.toMatchObject({
        code: 'AddressNotAllowed',
        data: { host: 'a.example', address: '127.0.0.1' },
      });
      const [socket] = (await accepted) as [Socket];
      if (!socket.closed) await once(socket, 'close');
      expect(received).toEqual([]);
    },
  );

  it('never passes a name to the system, only checked addresses', async () => {
    const asked: string[] = [];
    const open: ConnectionOptions['open'] = (given) => {
      given.lookup?.(given.host ?? '', { all: true }, (_error, answers) => asked.push(JSON.stringify(answers)));
      return connect({ host: '127.0.0.1', port });
    };
    const socket = await openConnection(
      { host: 'a.example', port, secure: false },
      signal,
      options(['::ffff:127.0.0.1', '127.0.0.2'], { open }),
    );
    socket.destroy();
    expect(asked).toEqual(['[{"address":"127.0.0.1","family":4},{"address":"127.0.0.2","family":4}]']);
  });

  it('connects to any address of a trusted host', async () => {
    const trusted = { guard: undefined, timeoutMs: 10_000 };
    const socket = await openConnection({ host: 'localhost', port, secure: false }, signal, trusted);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    expect(roundTripOf(socket)).toBeGreaterThan(0);
    socket.destroy();
  });

  it('gives up if the resolver does not answer', async () => {
    const guard = { resolve: () => new Promise<never>(() => {}), allow: createAllowList([]) };
    await expect(
      openConnection({ host: 'a.example', port, secure: false }, signal, { guard, timeoutMs: 20 }),
    ).rejects.toMatchObject({ code: 'RequestTimeout', data: { phase: 'connect' } });
  });

  it('gives up if the server does not speak TLS', async () => {
    await expect(
      openConnection({ host: 'a.example', port, secure: true }, signal, options(['127.0.0.1'], { timeoutMs: 200 })),
    ).rejects.toMatchObject({ code: 'RequestTimeout' });
  });

  it('gives up when its signal aborts', async () => {
    const reason = new RangeError('enough');
    await expect(
      openConnection({ host: 'a.example', port, secure: false }, AbortSignal.abort(reason), options(['127.0.0.1'])),
    ).rejects.toBe(reason);
  });
});

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { UpstreamPool } from './upstream-pool.ts';

interface Place {
  readonly pool: UpstreamPool;
  /** Connections that were made. */
  connections(): number;
  /** From then on nothing listens there. */
  close(): Promise<void>;
  /** Answers with the body, or with the code of the failure. */
  ask(path: string, onStart?: (controller: Dispatcher.DispatchController) => void): Promise<string>;
}

async function startPlace(answer: RequestListener): Promise<Place> {
  const server = createServer(answer);
  let made = 0;
  server.on('connection', () => (made += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new UpstreamPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await pool.destroy();
    server.close();
  });
  const ask: Place['ask'] = (path, onStart) =>
    new Promise((resolve) => {
      let body = '';
      pool.take().dispatch(
        { method: 'GET', path },
        {
          onRequestStart: (controller) => onStart?.(controller),
          onResponseStart: () => {},
          onResponseData: (_controller, chunk) => (body += chunk.toString()),
          onResponseEnd: () => resolve(body),
          onResponseError: (_controller, error) => resolve((error as NodeJS.ErrnoException).code ?? error.name),
        },
      );
    });
  const close = async (): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
  return { pool, connections: () => made, ask, close };
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A connection is free a moment after its answer. */
const lookedAfter = (): Promise<void> => delay(5);

it('makes as many connections as there are requests at a time, and uses them again', async () => {
  const waiting: (() => void)[] = [];
  const { pool, connections, ask } = await startPlace((_request, response) => {
    waiting.push(() => response.end('x'));
    if (waiting.length === 40) for (const end of waiting.splice(0)) end();
  });
  for (let round = 0; round < 3; round += 1) {
    expect(await Promise.all(many(40, () => ask('/')))).toEqual(many(40, () => 'x'));
    await lookedAfter();
  }
  expect([pool.size, connections()]).toEqual([40, 40]);
});

it('uses one connection for requests one after another', async () => {
  const { pool, connections, ask } = await startPlace((_request, response) => void response.end('x'));
  for (let index = 0; index < 20; index += 1) {
    await ask('/');
    await lookedAfter();
  }
  expect([pool.size, connections()]).toEqual([1, 1]);
});

it('keeps no more for what fails, however it fails', async () => {
  const { pool, ask } = await startPlace((request, response) => {
    if (request.url === '/cut') response.write('x', () => response.destroy());
    else if (request.url === '/reset') request.socket.destroy();
    else if (request.url === '/nonsense') request.socket.end('nonsense');
    else if (request.url === '/close') response.writeHead(200, { connection: 'close' }).end('x');
    else if (request.url !== '/silent') response.end('x');
  });
  const giveUp = (controller: Dispatcher.DispatchController): void => controller.abort(new Error('given up'));
  for (let round = 0; round < 10; round += 1) {
    for (const path of ['/cut', '/reset', '/nonsense', '/close']) await ask(path);
    await ask('/silent', giveUp);
    // What cannot be sent at all.
    expect(await ask('/ \r\n')).toBe('UND_ERR_INVALID_ARG');
    await lookedAfter();
  }
  expect(await ask('/')).toBe('x');
  expect(pool.size).toBeLessThan(5);
});

it('keeps no more for what cannot be reached', async () => {
  const { pool, ask, close } = await startPlace(() => {});
  await close();
  for (let index = 0; index < 10; index += 1) {
    expect(await ask('/')).toBe('ECONNREFUSED');
    await lookedAfter();
  }
  expect(pool.size).toBeLessThan(3);
});

it('ends what is under way when it is destroyed, and sends nothing after that', async () => {
  const { pool, connections, ask } = await startPlace(() => {});
  const under = ask('/');
  await expect.poll(() => connections()).toBe(1);
  await pool.destroy();
  expect(await under).toBe('UND_ERR_DESTROYED');
  expect(await ask('/')).toBe('UND_ERR_DESTROYED');
  expect(connections()).toBe(1);
});

it('measures the round trip of a connection as it connects', async () => {
  const { pool, ask } = await startPlace((_request, response) => response.end('x'));
  await ask('/');
  await lookedAfter();
  expect(pool.take().roundTripMs).toBeGreaterThan(0);
});

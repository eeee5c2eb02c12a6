import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createAfterReads } from '../../http/together.ts';
import { callUpstream } from '../../upstream/call-upstream.ts';
import { isFailure, type UpstreamPlace } from '../../upstream/upstream.ts';
import { createUpstreams } from '../../upstream/upstreams.ts';
import { sendOn } from './pass-through-body.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

interface Client {
  /** Everything the client received. */
  raw(): string;
  readonly closed: Promise<unknown>;
  leave(): void;
}

/** Starts an upstream that writes what the test tells it, byte by byte, and a server that passes its responses on. */
async function startPair(): Promise<{ ask: () => Client; next: () => Promise<Socket> }> {
  const sockets: Socket[] = [];
  const upstream = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  const upstreamPort = await listen(upstream);
  const settings = { id: 'test', format: 'openai-chat', models: ['*'], forwardKeys: false } as const;
  const upstreams = createUpstreams(
    { upstreams: [{ ...settings, baseUrl: `http://127.0.0.1:${upstreamPort}`, apiKeyEnv: undefined }] },
    {},
  );
  onTestFinished(() => upstreams.close());
  const place = upstreams.all[0]?.place as UpstreamPlace;
  const afterReads = createAfterReads();
  const server = createHttpServer((_incoming, outgoing) => {
    const call = callUpstream(place, { method: 'GET', path: '/', headers: [] });
    void call.answer.then((answer) => isFailure(answer) || sendOn(answer.message, outgoing, { afterReads }));
    outgoing.on('close', () => call.end());
  });
  const port = await listen(server);
  const next = async (): Promise<Socket> => {
    await expect.poll(() => sockets.length).toBeGreaterThan(0);
    return sockets.shift() as Socket;
  };
  const ask = (): Client => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    return { raw: () => text, closed: once(socket, 'close'), leave: () => void socket.destroy() };
  };
  return { ask, next };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const bodyOf = (raw: string): string => raw.slice(raw.indexOf('\r\n\r\n') + 4);

it('sends chunks that arrive together as one chunk, together with the end', async () => {
  const { ask, next } = await startPair();
  const client = ask();
  const upstream = await next();
  upstream.write(HEAD);
  await expect.poll(() => client.raw()).toContain('\r\n\r\n');
  upstream.write('1\r\na\r\n2\r\nbc\r\n0\r\n\r\n');
  await client.closed;
  expect(bodyOf(client.raw())).toBe('3\r\nabc\r\n0\r\n\r\n');
});

it('keeps the content length of a response that arrives in one piece', async () => {
  const { ask, next } = await startPair();
  const client = ask();
  (await next()).write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc');
  await client.closed;
  expect(client.raw()).toContain('Content-Length: 3\r\n');
  expect(bodyOf(client.raw())).toBe('abc');
});

it('sends headers at once if the body has not arrived yet', async () => {
  const { ask, next } = await startPair();
  const client = ask();
  const upstream = await next();
  upstream.write(HEAD);
  await expect.poll(() => client.raw()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n$/s);
  upstream.end('0\r\n\r\n');
  await client.closed;
  expect(bodyOf(client.raw())).toBe('0\r\n\r\n');
});

it.each([
  ['an invalid chunk in the same packet', (socket: Socket) => void socket.write(`${HEAD}3\r\nabc\r\nnonsense\r\n`)],
  ['the connection closes early', (socket: Socket) => void socket.end(`${HEAD}3\r\nabc\r\n`)],
])('sends everything received before %s, and does not end the response', async (_what, breakOff) => {
  const { ask, next } = await startPair();
  const client = ask();
  breakOff(await next());
  await client.closed;
  expect(bodyOf(client.raw())).toBe('3\r\nabc\r\n');
});

it('closes the upstream connection when the client disconnects in the middle of a stream', async () => {
  const { ask, next } = await startPair();
  const client = ask();
  const upstream = await next();
  upstream.write(`${HEAD}1\r\na\r\n`);
  await expect.poll(() => bodyOf(client.raw())).toBe('1\r\na\r\n');
  // Do not use `once` here: its promise would reject when the connection is reset.
  const gone = new Promise((resolve) => {
    upstream.on('close', resolve);
  });
  client.leave();
  for (let index = 0; index < 100; index += 1) upstream.write('1\r\nb\r\n');
  await gone;
});

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Gulps } from './gulps.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** With this a stream begins. */
const HEAD = 'head';
/** With this, too, but its body is still to come. */
const EMPTY = 'head only';

interface Pair {
  readonly gulps: Gulps;
  /** Sends a piece, and waits until it was read. */
  send(text: string): Promise<void>;
  /** Sends a piece, and waits for as long as it would take to read it. */
  write(text: string): Promise<void>;
  /** The pieces that were read so far. */
  readonly read: string[];
  /** What waits for the next gulp. */
  readonly held: (() => void)[];
  readonly socket: Socket;
}

/** A connection that is read as an HTTP client reads: whatever there is, when there is something. */
async function openPair(): Promise<Pair> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const options = { port: (server.address() as AddressInfo).port, host: '127.0.0.1', highWaterMark: 1 };
  const socket = connect(options).on('error', () => {});
  const [far] = (await once(server, 'connection')) as [Socket];
  far.on('error', () => {});
  onTestFinished(() => void far.destroy());
  const [held, read]: [(() => void)[], string[]] = [[], []];
  const gulps = new Gulps((task) => held.push(task));
  gulps.attach(socket);
  socket.on('readable', () => {
    for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null) {
      read.push(String(piece));
      if (String(piece).startsWith(HEAD)) gulps.start();
      gulps.took(piece.length - (String(piece) === EMPTY ? piece.length : 0));
    }
  });
  const write = async (text: string): Promise<void> => {
    far.write(text);
    await delay(30);
  };
  const send = async (text: string): Promise<void> => {
    const length = read.join('').length + text.length;
    far.write(text);
    await until(() => read.join('').length === length);
  };
  return { gulps, send, write, read, held, socket };
}

/** `expect.poll` would move the clock. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(2);
}

const release = (held: (() => void)[]): void => {
  for (const task of held.splice(0)) task();
};

describe('a connection', () => {
  it('is read at once while no stream is on it', async () => {
    const { send, read, held } = await openPair();
    for (const text of ['a', 'b', 'c']) await send(text);
    expect([read, held]).toEqual([['a', 'b', 'c'], []]);
  });

  it('is read in gulps while a stream comes fast, and each has all that came', async () => {
    const { send, write, read, held } = await openPair();
    await send(HEAD);
    for (const text of ['a', 'b', 'c']) await write(text);
    expect(read).toEqual([HEAD]);
    release(held);
    await until(() => read.length === 2);
    expect(read).toEqual([HEAD, 'abc']);
    await write('d');
    expect(read).toEqual([HEAD, 'abc']);
    release(held);
    await until(() => read.length === 3);
    expect(read).toEqual([HEAD, 'abc', 'd']);
  });

  it('is read at once when a stream takes its time', async () => {
    const { send, read, held } = await openPair();
    await send(HEAD);
    release(held);
    for (const text of ['a', 'b', 'c']) {
      vi.advanceTimersByTime(9);
      await send(text);
    }
    expect([read, held]).toEqual([[HEAD, 'a', 'b', 'c'], []]);
  });

  it('is read at once when what comes is large', async () => {
    const { send, read, held } = await openPair();
    await send(HEAD);
    release(held);
    for (const text of ['a', 'b', 'c']) await send(text.repeat(10_000));
    expect([read.join('').length, held]).toEqual([30_000 + HEAD.length, []]);
  });

  it('is read at once until a stream has a body', async () => {
    const { send, write, read } = await openPair();
    await send(EMPTY);
    await send('a');
    await write('b');
    expect(read).toEqual([EMPTY, 'a']);
  });

  it('is read at once when much comes in small pieces, as TLS has it', async () => {
    const { send, read, held } = await openPair();
    await send(HEAD);
    release(held);
    await send('a'.repeat(10_000));
    vi.advanceTimersByTime(4);
    for (let index = 0; index < 20; index += 1) {
      await send('b'.repeat(500));
      vi.advanceTimersByTime(0.2);
    }
    expect([read.join('').length, held]).toEqual([20_000 + HEAD.length, []]);
  });

  it('is read again as soon as the stream has ended, and only once', async () => {
    const { gulps, send, write, read, held } = await openPair();
    await send(HEAD);
    await write('a');
    expect([read, held.length]).toEqual([[HEAD], 1]);
    gulps.stop();
    await until(() => read.length === 2);
    expect(read).toEqual([HEAD, 'a']);
    release(held);
    for (const text of ['b', 'c']) await send(text);
    expect([read, held]).toEqual([[HEAD, 'a', 'b', 'c'], []]);
  });

  it('that is gone when it is to be read again is left alone', async () => {
    const { gulps, send, held, socket } = await openPair();
    await send(HEAD);
    expect(held).toHaveLength(1);
    socket.destroy();
    await once(socket, 'close');
    release(held);
    gulps.stop();
    expect(socket.listenerCount('connect')).toBe(0);
  });
});

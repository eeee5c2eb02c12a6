import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { roundTripOf, timeRoundTrip } from 'skillwright/host';
import type { buildConnector, Client, Dispatcher } from 'undici';
import { createNextGulp, Gulps } from './gulps.ts';

/** How long a connection is kept for the next request. */
const IDLE_MS = 15_000;
/** What a burst of requests has opened is forgotten after so long. */
const FORGET_MS = 600_000;
/** A connection has one request at a time. */
const OPTIONS: Client.Options = { pipelining: 1, allowH2: false, keepAliveTimeout: IDLE_MS };
/** A socket that holds nothing back from the kernel: what is not asked for is not read. */
const SOCKET: object = { allowH2: false, highWaterMark: 1 };

/** These files of the package alone: its entry replaces the dispatcher that the `fetch` of the whole process uses. */
const UndiciClient = createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof Client;
const createConnector = createRequire(import.meta.url)('undici/lib/core/connect.js') as (
  options: buildConnector.BuildOptions,
) => Connect;

/** Undici's types do not say that it returns the socket that connects. */
type Connect = (...given: Parameters<buildConnector.connector>) => Socket;

/** One to an upstream, open or to be opened. */
export interface Connection {
  /** It was used before, and is open as far as is known. */
  readonly isOpen: boolean;
  /** How an answer is read. */
  readonly gulps: Gulps;
  /** To the upstream and back, as it took to connect. */
  readonly roundTripMs: number;
  /** Sends a request, one for each time that it is taken. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
}

/**
 * Connections to an upstream, kept and shared; as many are made as are needed, none before. The one that was used last is used
 * next, and finding it takes as long among thousands as among two, which is why this is not undici's own pool.
 */
export class UpstreamPool {
  readonly #origin: string;
  readonly #connect = createConnector(SOCKET);
  readonly #nextGulp = createNextGulp();
  readonly #all = new Set<PooledConnection>();
  /** By when they became free. */
  readonly #free: PooledConnection[] = [];
  #isDestroyed = false;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Connections that it has, busy or free, open or to be opened again. */
  get size(): number {
    return this.#all.size;
  }

  /** One that is free. It is given back when its answer has ended. */
  take(): Connection {
    return this.#free.pop() ?? this.#add();
  }

  /** One that has to be opened first, and so cannot have been closed at the other end without anybody's knowing. */
  takeUnopened(): Connection {
    const index = this.#free.findIndex(({ isOpen }) => !isOpen);
    const [unopened] = index === -1 ? [] : this.#free.splice(index, 1);
    return unopened ?? this.#add();
  }

  /** Ends every connection and whatever is under way. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all([...this.#all].map(async (connection) => connection.destroy()));
  }

  #add(): PooledConnection {
    const gulps = new Gulps(this.#nextGulp);
    const connection = new PooledConnection(this.#origin, this.#connect, gulps, () => this.#keep(connection));
    this.#all.add(connection);
    if (this.#isDestroyed) void connection.destroy();
    return connection;
  }

  #keep(connection: PooledConnection): void {
    this.#free.push(connection);
    const [longest] = this.#free;
    if (longest === undefined || connection.freeSince - longest.freeSince < FORGET_MS) return;
    this.#free.shift();
    this.#all.delete(longest);
    void longest.destroy();
  }
}

class PooledConnection implements Connection {
  readonly gulps: Gulps;
  /** When its last answer ended. */
  freeSince = 0;
  readonly #client: Client;
  readonly #onFree: () => void;
  #isBusy = false;
  #socket: Socket | undefined;

  constructor(origin: string, connect: Connect, gulps: Gulps, onFree: () => void) {
    this.gulps = gulps;
    this.#onFree = onFree;
    const onSocket = (socket: Socket): void => void (this.#socket = socket);
    this.#client = new UndiciClient(origin, { ...OPTIONS, connect: readBy(gulps, connect, onSocket) });
    this.#client.on('drain', () => this.#release());
  }

  get isOpen(): boolean {
    return this.#client.stats.connected;
  }

  get roundTripMs(): number {
    return roundTripOf(this.#socket);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#isBusy = true;
    this.#client.dispatch(options, handler);
    // What cannot be sent leaves it as free as it was.
    if (this.#client.stats.size === 0) this.#release();
  }

  destroy(): Promise<void> {
    return this.#client.destroy();
  }

  #release(): void {
    if (!this.#isBusy) return;
    this.#isBusy = false;
    this.freeSince = Date.now();
    this.#onFree();
  }
}

function readBy(gulps: Gulps, connect: Connect, onSocket: (socket: Socket) => void): buildConnector.connector {
  return (options, done) => {
    const connecting = connect(options, (...[error, socket]) => {
      if (error !== null) return done(error, null);
      gulps.attach(socket);
      onSocket(socket);
      done(null, socket);
    });
    timeRoundTrip(connecting);
  };
}

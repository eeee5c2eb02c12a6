import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';

/** Takes a body as it comes. */
export interface BodyReader {
  data(chunk: Buffer): void;
  end(): void;
  /** It broke off. */
  error(error: Error): void;
}

/** What an answer comes from. */
interface Flow {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

type ParsedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const EVENTS = /^\s*text\/event-stream\b/i;

/** So much of a body that nobody reads yet is taken in. */
const AHEAD_BYTES = 65_536;

/** What a server of Node's can say after a status. */
const PHRASE = /^[\t\x20-\x7e]*$/;

/** An answer whose headers are there. Its body comes to its one reader, and waits until there is one. */
export class UpstreamAnswer {
  readonly statusCode: number;
  /** That of HTTP itself in place of one that cannot be sent on. */
  readonly statusMessage: string;
  /** As they were sent: names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly #flow: Flow;
  readonly #headers: ParsedHeaders;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #reader: BodyReader | undefined;
  #ending: 'whole' | Error | undefined;
  #onClosed: (() => void)[] = [];

  constructor(
    flow: Flow,
    status: { code: number; message: string },
    headers: readonly Buffer[],
    parsed: ParsedHeaders,
  ) {
    this.#flow = flow;
    this.statusCode = status.code;
    this.statusMessage = PHRASE.test(status.message) ? status.message : (STATUS_CODES[status.code] ?? '');
    this.rawHeaders = headers.map((text) => text.toString('latin1'));
    this.#headers = parsed;
  }

  /** By its name in small letters. That of one that was sent twice is all that was sent. */
  header(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  /** Its body comes piece by piece, as a model speaks. */
  get isEventStream(): boolean {
    return EVENTS.test(this.header('content-type') ?? '');
  }

  /** All of it is there, and nobody has read any. */
  get isWhole(): boolean {
    return this.#ending === 'whole' && this.#reader === undefined;
  }

  /** Bytes that wait for a reader. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Calls the reader at once with what waits, in this call. There can be one. */
  read(reader: BodyReader): void {
    this.#reader = reader;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (this.#ending === undefined) this.#flow.resume();
    for (const chunk of waiting) reader.data(chunk);
    if (this.#ending !== undefined) this.#tell(reader, this.#ending);
  }

  /** Nothing more comes until `resume`, but for what is on its way. */
  pause(): void {
    if (this.#ending === undefined) this.#flow.pause();
  }

  resume(): void {
    if (this.#ending === undefined) this.#flow.resume();
  }

  /** When its reader has had all that came, whole or not. */
  onceClosed(listener: () => void): void {
    this.#onClosed.push(listener);
  }

  /** For those who want a stream. Destroying it ends the answer. */
  toReadable(): Readable {
    const readable = new Readable({
      read: () => this.resume(),
      destroy: (error, done) => {
        if (this.#ending === undefined) this.#flow.abort(new DOMException('Nobody reads the answer.', 'AbortError'));
        done(error);
      },
    });
    this.read({
      data: (chunk) => readable.push(chunk) || this.pause(),
      end: () => void readable.push(null),
      error: (error) => void readable.destroy(error),
    });
    return readable;
  }

  /** For whoever receives it: another piece. */
  push(chunk: Buffer): void {
    if (this.#reader !== undefined) return this.#reader.data(chunk);
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > AHEAD_BYTES) this.#flow.pause();
  }

  /** For whoever receives it: this was all, or it broke off. */
  close(ending: 'whole' | Error): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    if (this.#reader !== undefined) this.#tell(this.#reader, ending);
  }

  #tell(reader: BodyReader, ending: 'whole' | Error): void {
    if (ending === 'whole') reader.end();
    else reader.error(ending);
    for (const listener of this.#onClosed) listener();
  }
}

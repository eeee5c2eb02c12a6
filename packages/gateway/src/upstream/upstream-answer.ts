import { type IncomingMessage, STATUS_CODES } from 'node:http';

const EVENTS = /^\s*text\/event-stream\b/i;

/** Reason phrases that Node's server accepts. */
const PHRASE = /^[\t\x20-\x7e]*$/;

/** A response whose headers have arrived. */
export class UpstreamAnswer {
  /** The response as the upstream sent it. Its body waits until it is read, and has one reader. */
  readonly message: IncomingMessage;

  constructor(message: IncomingMessage) {
    this.message = message;
  }

  get statusCode(): number {
    return this.message.statusCode ?? 0;
  }

  /** The upstream's reason phrase, or the standard phrase if the upstream's cannot be forwarded. */
  get statusMessage(): string {
    const { statusMessage = '' } = this.message;
    return PHRASE.test(statusMessage) ? statusMessage : (STATUS_CODES[this.statusCode] ?? '');
  }

  /** A header by its lower-case name; the values of a repeated header joined by a comma. */
  header(name: string): string | undefined {
    const raw = this.message.rawHeaders;
    const values = raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name);
    return values.length === 0 ? undefined : values.join(', ');
  }

  /** Whether the body is an event stream, which arrives piece by piece. */
  get isEventStream(): boolean {
    return EVENTS.test(this.header('content-type') ?? '');
  }

  /** Calls the listener when the body has ended, complete or not. */
  onceClosed(listener: () => void): void {
    this.message.once('close', listener);
  }
}

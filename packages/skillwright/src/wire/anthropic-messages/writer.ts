import type { AssistantTurn, WireBody, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { TurnAssembly } from './reader.ts';
import { isRecord, jsonText, parseJson, isGiven } from '../json/json-text.ts';
import { holdText } from '../stream/held-text.ts';
import { changeLastFrame, closed, encodeFrame, withData } from '../stream/sse.ts';
import { callName, isCall, laterUsage } from './fields.ts';
import { addRounds, ownDelta, ownFrame, type ShownFrame, usageAtEnd, withIndex } from './patch.ts';
import { textFrames } from './text.ts';

/** A frame that waits for the end of its round. */
interface HeldFrame extends ShownFrame {
  readonly kind: 'message_delta' | 'message_stop' | 'error' | 'done' | 'other';
}

export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  return holdText(new MessagesWriter(options.isHidden), textFrames, options);
}

class MessagesWriter implements StreamWriter {
  readonly #isHidden: (toolName: string) => boolean;
  /** Reads the frames sent to the client, so that it holds the turn as the client sees it. */
  readonly #shownTurn = new TurnAssembly();
  /** The index in the client's stream for each block of this round. Hidden blocks have no entry. */
  readonly #places = new Map<unknown, number>();
  /** Blocks whose start the client got, but not their end. */
  readonly #open = new Set<number>();
  #blockCount = 0;
  /** Usage of the rounds before this one. */
  #before: WireBody | undefined;
  #usage: WireBody | undefined;
  #calls = { hidden: 0, visible: 0 };
  /** The closing frames of the round, starting with its stop reason. They are held back, and dropped if another round follows. */
  #tail: HeldFrame[] = [];
  #hasStarted = false;
  /** How many blocks the client had when the round started, and whether the client's stream had started. */
  #atRoundStart = { blockCount: 0, hasStarted: false };
  #isOver = false;

  constructor(isHidden: (toolName: string) => boolean) {
    this.#isHidden = isHidden;
  }

  write({ frame, data }: WireStep): readonly WireFrame[] {
    if (this.#isOver || frame.raw === '') return [];
    const event = data ?? readEvent(frame);
    // An unreadable frame would break a client: the reader has reported the error, and `fail` sends it at the end.
    if (event === undefined) return [];
    switch (event.type) {
      case 'message_start':
        return this.#start(frame, event);
      case 'content_block_start':
        return this.#pass(this.#startBlock({ frame, event }));
      case 'content_block_delta':
        return this.#pass(this.#placed({ frame, event }));
      case 'content_block_stop':
        return this.#pass(this.#endBlock({ frame, event }));
      case 'message_delta':
        this.#usage = laterUsage(this.#usage, event.usage);
        return isGiven(isRecord(event.delta) ? event.delta.stop_reason : undefined)
          ? this.#hold(frame, event.type, event)
          : this.#pass(this.#end({ frame, event }));
      case 'message_stop':
      case 'error':
      case 'done':
        return this.#hold(frame, event.type, event);
      default:
        return this.#pass({ frame, event });
    }
  }

  nextRound(): readonly WireFrame[] {
    if (this.#isOver) return [];
    const frames = this.#show([...this.#closeBlocks(), ...this.#others()]);
    this.#before = addRounds(this.#before, this.#usage);
    this.#atRoundStart = { blockCount: this.#blockCount, hasStarted: this.#hasStarted };
    this.restartRound();
    return frames;
  }

  restartRound(): void {
    this.#usage = undefined;
    this.#calls = { hidden: 0, visible: 0 };
    this.#places.clear();
    this.#open.clear();
    this.#tail = [];
    this.#blockCount = this.#atRoundStart.blockCount;
    this.#hasStarted = this.#atRoundStart.hasStarted;
  }

  finish(): readonly WireFrame[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    const has = (kind: HeldFrame['kind']): boolean => this.#tail.some((held) => held.kind === kind);
    const lacks = (kind: HeldFrame['kind']): boolean => this.#hasStarted && !has('error') && !has(kind);
    return this.#show([
      ...(has('error') ? [] : this.#closeBlocks()),
      ...(lacks('message_delta') ? [this.#missingDelta()] : []),
      ...this.#tail.map((held) => (held.kind === 'message_delta' ? this.#end(held) : held)),
      ...(lacks('message_stop') ? [ownFrame({ type: 'message_stop' })] : []),
    ]);
  }

  /** Ends the stream with an error. In this format, clients expect nothing after an error. */
  fail(message: string): readonly WireFrame[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    const theirs = this.#tail.find(({ kind }) => kind === 'error');
    return this.#show([
      ...this.#others(),
      theirs ?? ownFrame({ type: 'error', error: { type: 'api_error', message } }),
    ]);
  }

  keepAlive(): WireFrame {
    return encodeFrame('{"type": "ping"}', 'ping');
  }

  turn(): AssistantTurn {
    return this.#shownTurn.turn();
  }

  #show(shown: readonly ShownFrame[]): readonly WireFrame[] {
    return shown.map(({ frame, event }) => {
      this.#shownTurn.add(event);
      return closed(frame);
    });
  }

  /** Sends a frame to the client, or holds the frame back if the round's end has already arrived. */
  #pass(shown: ShownFrame | undefined): readonly WireFrame[] {
    if (shown === undefined) return [];
    if (this.#tail.length === 0) return this.#show([shown]);
    this.#tail.push({ ...shown, kind: 'other' });
    return [];
  }

  #hold(frame: WireFrame, kind: HeldFrame['kind'], event: WireBody): readonly WireFrame[] {
    this.#tail.push({ frame, kind, event });
    return [];
  }

  #start(frame: WireFrame, event: WireBody): readonly WireFrame[] {
    this.#usage = laterUsage(this.#usage, isRecord(event.message) ? event.message.usage : undefined);
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    return this.#pass({ frame, event });
  }

  #startBlock(given: ShownFrame): ShownFrame | undefined {
    const { event } = given;
    const block = event.content_block;
    if (isCall(block)) {
      const isHidden = this.#isHidden(callName(block));
      this.#calls[isHidden ? 'hidden' : 'visible'] += 1;
      if (isHidden) {
        this.#places.delete(event.index);
        return undefined;
      }
    }
    this.#places.set(event.index, this.#blockCount);
    const placed = this.#placed(given);
    if (placed === undefined) {
      this.#places.delete(event.index);
      return undefined;
    }
    this.#open.add(this.#blockCount);
    this.#blockCount += 1;
    return placed;
  }

  #endBlock(given: ShownFrame): ShownFrame | undefined {
    const place = this.#places.get(given.event.index);
    if (place !== undefined) this.#open.delete(place);
    return this.#placed(given);
  }

  /**
   * The frame with its block's index in the client's stream; nothing if the block is hidden or never started, or if the
   * frame cannot be written.
   */
  #placed(given: ShownFrame): ShownFrame | undefined {
    const { index } = given.event;
    const place = this.#places.get(index);
    if (place === undefined) return undefined;
    return place === index ? given : withIndex(given, place);
  }

  /** The end of the last round, as the end of the whole message. */
  #end(given: ShownFrame): ShownFrame {
    const { frame, event } = given;
    const delta = isRecord(event.delta) ? event.delta : {};
    // If all calls were hidden, the client has no call to answer.
    const isHiddenEnd = delta.stop_reason === 'tool_use' && this.#calls.hidden > 0 && this.#calls.visible === 0;
    if (this.#before === undefined && !isHiddenEnd) return given;
    const total = addRounds(this.#before, this.#usage);
    const stopReason = isHiddenEnd ? 'end_turn' : delta.stop_reason;
    const patched = {
      ...event,
      ...(isHiddenEnd ? { delta: { ...delta, stop_reason: stopReason } } : {}),
      ...(this.#before === undefined || total === undefined ? {} : { usage: usageAtEnd(event.usage, total) }),
    };
    const text = jsonText(patched);
    if (text === undefined) return ownDelta(stopReason, total ?? {});
    return { frame: withData(frame, text), event: patched };
  }

  /** Creates the end for a round that ended before the provider sent one. */
  #missingDelta(): ShownFrame {
    const total = addRounds(this.#before, this.#usage) ?? {};
    return ownDelta(this.#calls.visible > 0 ? 'tool_use' : 'end_turn', total);
  }

  #closeBlocks(): readonly ShownFrame[] {
    const frames = [...this.#open].map((index) => ownFrame({ type: 'content_block_stop', index }));
    this.#open.clear();
    return frames;
  }

  /** The held frames that are not part of the round's end. */
  #others(): readonly ShownFrame[] {
    return this.#tail.filter(({ kind }) => kind === 'other');
  }
}

export function extendEnd(frames: readonly WireFrame[], fields: WireBody): readonly WireFrame[] {
  return changeLastFrame(frames, (event) => (event.type === 'message_delta' ? { ...event, ...fields } : undefined));
}

/**
 * `{}` for a comment or another format's event; `undefined` for data that is not JSON, or for an event that was cut
 * before its data.
 */
function readEvent(frame: WireFrame): WireBody | undefined {
  const data = frame.data.trim();
  if (data === '') return closed(frame) === frame ? {} : undefined;
  if (data === '[DONE]') return { type: 'done' };
  const reading = parseJson(data);
  if (!reading.ok) return undefined;
  return isRecord(reading.value) ? reading.value : {};
}

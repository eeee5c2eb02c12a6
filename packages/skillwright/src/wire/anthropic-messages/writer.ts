import type { WireBody, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { isRecord, jsonText, parseJson } from '../json/json-text.ts';
import { isGiven } from '../json/json-values.ts';
import { holdText } from '../stream/held-text.ts';
import { changeLastFrame } from '../stream/last-frame.ts';
import { closed, encodeFrame, withData } from '../stream/sse.ts';
import { callName, isCall, laterUsage } from './fields.ts';
import { addRounds, ownDelta, usageAtEnd, withIndex } from './patch.ts';
import { textFrames } from './text.ts';

/** A frame that waits for the end of its round. */
interface HeldFrame {
  readonly frame: WireFrame;
  readonly kind: 'message_delta' | 'message_stop' | 'error' | 'done' | 'other';
  readonly event: WireBody;
}

/** The frames that come by the thousand, and need not be parsed. */
const DELTA = /^\{"type":\s*"content_block_delta",\s*"index":\s*(\d+),/;

export function createStreamWriter({ isHidden, holdsText }: StreamWriterOptions): StreamWriter {
  const writer = new MessagesWriter(isHidden);
  return holdsText === true ? holdText(writer, textFrames, isHidden) : writer;
}

class MessagesWriter implements StreamWriter {
  readonly #isHidden: (toolName: string) => boolean;
  /** Where the blocks of this round are for the client. Hidden ones are nowhere. */
  readonly #places = new Map<unknown, number>();
  /** Blocks the client was told the start of, and not the end. */
  readonly #open = new Set<number>();
  #blockCount = 0;
  /** Usage of the rounds before this one. */
  #before: WireBody | undefined;
  #usage: WireBody | undefined;
  #calls = { hidden: 0, visible: 0 };
  /** The end of the round, from its first frame on: whether the client gets it depends on whether another round follows. */
  #tail: HeldFrame[] = [];
  #hasStarted = false;
  /** What the client had when the round began. */
  #atRoundStart = { blockCount: 0, hasStarted: false };
  #isOver = false;

  constructor(isHidden: (toolName: string) => boolean) {
    this.#isHidden = isHidden;
  }

  write({ frame, events }: WireStep): readonly WireFrame[] {
    if (this.#isOver || frame.raw === '') return [];
    const index = DELTA.exec(frame.data)?.[1];
    if (index !== undefined && events.every(({ type }) => type !== 'error'))
      return this.#pass(this.#placed(frame, Number(index), undefined));
    const event = readEvent(frame);
    // What cannot be read would break a client: the reader told the error, and `fail` says so in the end.
    if (event === undefined) return [];
    switch (event.type) {
      case 'message_start':
        return this.#start(frame, event);
      case 'content_block_start':
        return this.#pass(this.#startBlock(frame, event));
      case 'content_block_delta':
        return this.#pass(this.#placed(frame, event.index, event));
      case 'content_block_stop':
        return this.#pass(this.#endBlock(frame, event));
      case 'message_delta':
        this.#usage = laterUsage(this.#usage, event.usage);
        return isGiven(isRecord(event.delta) ? event.delta.stop_reason : undefined)
          ? this.#hold(frame, event.type, event)
          : this.#pass(this.#end(frame, event));
      case 'message_stop':
      case 'error':
      case 'done':
        return this.#hold(frame, event.type, event);
      default:
        return this.#pass(frame);
    }
  }

  nextRound(): readonly WireFrame[] {
    if (this.#isOver) return [];
    const frames = [...this.#closeBlocks(), ...this.#others()];
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
    return [
      ...(has('error') ? [] : this.#closeBlocks()),
      ...(lacks('message_delta') ? [this.#missingDelta()] : []),
      ...this.#tail.map(({ frame, kind, event }) => closed(kind === 'message_delta' ? this.#end(frame, event) : frame)),
      ...(lacks('message_stop') ? [encodeFrame('{"type":"message_stop"}', 'message_stop')] : []),
    ];
  }

  /** An error ends a stream of this format: clients expect nothing after it. */
  fail(message: string): readonly WireFrame[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    const theirs = this.#tail.find(({ kind }) => kind === 'error')?.frame;
    const ours = JSON.stringify({ type: 'error', error: { type: 'api_error', message } });
    return [...this.#others(), theirs === undefined ? encodeFrame(ours, 'error') : closed(theirs)];
  }

  keepAlive(): WireFrame {
    return encodeFrame('{"type": "ping"}', 'ping');
  }

  /** Lets a frame go, unless it came after the end of its round: then it waits there. */
  #pass(frame: WireFrame | undefined): readonly WireFrame[] {
    if (frame === undefined) return [];
    if (this.#tail.length === 0) return [closed(frame)];
    this.#tail.push({ frame, kind: 'other', event: {} });
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
    return this.#pass(frame);
  }

  #startBlock(frame: WireFrame, event: WireBody): WireFrame | undefined {
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
    const placed = this.#placed(frame, event.index, event);
    if (placed === undefined) {
      this.#places.delete(event.index);
      return undefined;
    }
    this.#open.add(this.#blockCount);
    this.#blockCount += 1;
    return placed;
  }

  #endBlock(frame: WireFrame, event: WireBody): WireFrame | undefined {
    const place = this.#places.get(event.index);
    if (place !== undefined) this.#open.delete(place);
    return this.#placed(frame, event.index, event);
  }

  /** The frame with the index its block has for the client; nothing where it is hidden, never started, or cannot be written. */
  #placed(frame: WireFrame, index: unknown, event: WireBody | undefined): WireFrame | undefined {
    const place = this.#places.get(index);
    if (place === undefined || place === index) return place === undefined ? undefined : frame;
    return withIndex(frame, event, place);
  }

  /** The end of the last round, as the end of all. */
  #end(frame: WireFrame, event: WireBody): WireFrame {
    const delta = isRecord(event.delta) ? event.delta : {};
    // The client has no call to answer, if all of them were hidden.
    const isHiddenEnd = delta.stop_reason === 'tool_use' && this.#calls.hidden > 0 && this.#calls.visible === 0;
    if (this.#before === undefined && !isHiddenEnd) return frame;
    const total = addRounds(this.#before, this.#usage);
    const stopReason = isHiddenEnd ? 'end_turn' : delta.stop_reason;
    const patched = {
      ...event,
      ...(isHiddenEnd ? { delta: { ...delta, stop_reason: stopReason } } : {}),
      ...(this.#before === undefined || total === undefined ? {} : { usage: usageAtEnd(event.usage, total) }),
    };
    const text = jsonText(patched);
    return text === undefined ? ownDelta(stopReason, total ?? {}) : withData(frame, text);
  }

  /** For a round that was ended before the provider did. */
  #missingDelta(): WireFrame {
    const total = addRounds(this.#before, this.#usage) ?? {};
    return ownDelta(this.#calls.visible > 0 ? 'tool_use' : 'end_turn', total);
  }

  #closeBlocks(): readonly WireFrame[] {
    const frames = [...this.#open].map((index) =>
      encodeFrame(JSON.stringify({ type: 'content_block_stop', index }), 'content_block_stop'),
    );
    this.#open.clear();
    return frames;
  }

  /** What waits behind the end of the round, and is no part of it. */
  #others(): readonly WireFrame[] {
    return this.#tail.flatMap(({ frame, kind }) => (kind === 'other' ? [closed(frame)] : []));
  }
}

export function extendEnd(frames: readonly WireFrame[], fields: WireBody): readonly WireFrame[] {
  return changeLastFrame(frames, (event) => (event.type === 'message_delta' ? { ...event, ...fields } : undefined));
}

/** `{}` for a comment, and for what is no event of this format; `undefined` for what is no JSON, or cut before its data. */
function readEvent(frame: WireFrame): WireBody | undefined {
  const data = frame.data.trim();
  if (data === '') return closed(frame) === frame ? {} : undefined;
  if (data === '[DONE]') return { type: 'done' };
  const reading = parseJson(data);
  if (!reading.ok) return undefined;
  return isRecord(reading.value) ? reading.value : {};
}

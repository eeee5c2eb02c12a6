import type { AssistantTurn, WireBody, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { isRecord, jsonText, parseJson, listOf, stringOf } from '../json/json-text.ts';
import { holdText } from '../stream/held-text.ts';
import { changeLastFrame, closed, encodeComment, encodeFrame, withData } from '../stream/sse.ts';
import { addRawUsage } from '../usage.ts';
import { TurnAssembly } from './reader.ts';
import { callName, CLOSING_EVENTS, eventType, OPENING_EVENTS, STREAM_END } from './fields.ts';
import { isHiddenItem, ItemIds, toClient, toClientItem } from './patch.ts';
import { textFrames } from './text.ts';

/** The state of the current round. */
interface Round {
  readonly number: number;
  /** The client's next `output_index` and sequence number at the start of the round. */
  readonly firstIndex: number;
  readonly firstSequence: number | undefined;
  /** Maps each `output_index` of the provider to the client's `output_index`; `undefined` for a hidden item. */
  readonly indexes: Map<number, number | undefined>;
  /** Finished items of this round, in the client's version. */
  readonly items: Map<number, WireBody>;
  /**
   * Frames of calls whose name has not arrived yet, by the provider's index. They wait, because such a call may be
   * hidden.
   */
  readonly unnamed: Map<number, Entry[]>;
  /** The end of the round and everything after it: sent only if no other round follows. */
  readonly held: Entry[];
}

/** A frame with its data. */
interface Entry {
  readonly frame: WireFrame;
  readonly type: string;
  /**
   * The frame's JSON object; `undefined` for any other frame: a comment, the sentinel at the end, or an unknown frame.
   */
  readonly data: WireBody | undefined;
}

export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  return holdText(new ResponseWriter(options), textFrames, options);
}

class ResponseWriter implements StreamWriter {
  readonly #options: StreamWriterOptions;
  readonly #ids = new ItemIds();
  /** Reads the frames sent to the client, so that it holds the turn as the client sees it. */
  readonly #shownTurn = new TurnAssembly();
  /** Items of the rounds before this one. */
  readonly #earlier: WireBody[] = [];
  #round: Round = startRound(1, 0, undefined);
  /** The response object that the client got first. */
  #first: WireBody | undefined;
  #nextIndex = 0;
  #nextSequence: number | undefined;
  /** The usage of earlier rounds, in the provider's shape. */
  #usage: unknown;
  #endsWithSentinel = false;
  #isOver = false;

  constructor(options: StreamWriterOptions) {
    this.#options = options;
  }

  write({ frame, data }: WireStep): readonly WireFrame[] {
    if (this.#isOver || frame.raw === '') return [];
    const entry = entryOf(frame, data);
    if (entry === undefined) return [];
    if (this.#round.held.length === 0 && !endsRound(entry)) return this.#pass(entry);
    this.#round.held.push(entry);
    return [];
  }

  nextRound(): readonly WireFrame[] {
    if (this.#isOver) return [];
    this.#usage = this.#usageSoFar();
    this.#earlier.push(...this.#ownItems());
    this.#endsWithSentinel ||= this.#round.held.some(({ frame }) => frame.data === STREAM_END);
    this.#round = startRound(this.#round.number + 1, this.#nextIndex, this.#nextSequence);
    return [];
  }

  restartRound(): void {
    const { number, firstIndex, firstSequence } = this.#round;
    this.#nextIndex = firstIndex;
    this.#nextSequence = firstSequence;
    this.#round = startRound(number, firstIndex, firstSequence);
  }

  finish(): readonly WireFrame[] {
    if (this.#isOver) return [];
    if (!this.#round.held.some(endsResponse)) return this.fail('The stream ended before the response did.');
    const frames = [...this.#nameless(), ...this.#round.held.flatMap((entry) => this.#patched(entry))];
    this.#isOver = true;
    return frames;
  }

  fail(message: string): readonly WireFrame[] {
    if (this.#isOver) return [];
    if (this.#round.held.some(tellsError)) return this.finish();
    const error = { type: 'error', code: 'server_error', message, param: null, sequence_number: this.#sequence() };
    this.#shownTurn.addEvent(error.type, error);
    const frames = [encodeFrame(JSON.stringify(error), error.type), ...this.#failed(message)];
    this.#isOver = true;
    return this.#endsWithSentinel ? [...frames, encodeFrame(STREAM_END)] : frames;
  }

  keepAlive(): WireFrame {
    return encodeComment('keep-alive');
  }

  turn(): AssistantTurn {
    return this.#shownTurn.turn();
  }

  /** The response object of a failed stream; none if the client has not got any response object. */
  #failed(message: string): readonly WireFrame[] {
    if (this.#first === undefined) return [];
    const response = {
      ...this.#first,
      status: 'failed',
      error: { code: 'server_error', message },
      output: [...this.#earlier, ...this.#ownItems()],
      usage: this.#usageSoFar() ?? null,
    };
    const event = { type: 'response.failed', sequence_number: this.#sequence(), response };
    const text = jsonText(event);
    if (text === undefined) return [];
    this.#shownTurn.addEvent(event.type, event);
    return [encodeFrame(text, event.type)];
  }

  /** Passes a frame on, unless it belongs to a call without a name yet. */
  #pass(entry: Entry): readonly WireFrame[] {
    const { indexes, unnamed } = this.#round;
    const index = entry.data?.output_index;
    if (typeof index !== 'number' || indexes.has(index)) return this.#patched(entry);
    const entries = unnamed.get(index) ?? [];
    entries.push(entry);
    if (!isNameless(entry)) return this.#release(index, entries, itemOf(entry));
    unnamed.set(index, entries);
    return [];
  }

  #release(index: number, entries: readonly Entry[], item: unknown): readonly WireFrame[] {
    this.#round.unnamed.delete(index);
    this.#round.indexes.set(index, this.#place(item));
    return entries.flatMap((entry) => this.#patched(entry));
  }

  /** Sends the waiting frames of calls whose name arrives only at the end of the response, or never. */
  #nameless(): readonly WireFrame[] {
    const response = this.#round.held.map(({ data }) => data?.response).find(isRecord);
    const output = listOf(response?.output);
    return [...this.#round.unnamed].flatMap(([index, entries]) => this.#release(index, entries, output[index]));
  }

  #ownItems(): readonly WireBody[] {
    return [...this.#round.items].sort(([first], [second]) => first - second).map(([, item]) => item);
  }

  #usageSoFar(): unknown {
    const response = this.#round.held.map(({ data }) => data?.response).find(isRecord);
    return addRawUsage(this.#usage, response?.usage);
  }

  #sequence(): number {
    const number = this.#nextSequence ?? 0;
    this.#nextSequence = number + 1;
    return number;
  }

  /** The client's version of a frame: the same object if nothing has to change. */
  #patched({ data, frame, type }: Entry): readonly WireFrame[] {
    if (data === undefined) return [frame];
    const shown = this.#shown(type, data);
    if (shown === undefined) return [];
    const numbered = this.#numbered(shown);
    const text = numbered === data ? frame.data : jsonText(numbered);
    if (text === undefined) return [];
    this.#shownTurn.addEvent(type, numbered);
    return [numbered === data ? frame : withData(frame, text)];
  }

  #numbered(data: WireBody): WireBody {
    if (typeof data.sequence_number !== 'number') return data;
    this.#nextSequence ??= data.sequence_number;
    return withValue(data, 'sequence_number', this.#sequence());
  }

  /** The client's version of an event; `undefined` if it is hidden. */
  #shown(type: string, data: WireBody): WireBody | undefined {
    if (isRecord(data.response)) {
      if (OPENING_EVENTS.has(type)) return this.#opening(data, data.response);
      if (CLOSING_EVENTS.has(type)) return withValue(data, 'response', this.#closing(data.response));
    }
    return typeof data.output_index === 'number' ? this.#ofItem(type, data, data.output_index) : data;
  }

  #opening(data: WireBody, response: WireBody): WireBody | undefined {
    if (this.#round.number > 1 && this.#first !== undefined) return undefined;
    const shown = toClient(response, this.#options, { id: this.#first?.id });
    this.#first = shown;
    return withValue(data, 'response', shown);
  }

  #closing(response: WireBody): WireBody {
    const { clientBody } = this.#options;
    const given = listOf(response.output);
    const visible = given.filter((item) => !isHiddenItem(item, this.#options.isHidden));
    const items = visible.map((item) => toClientItem(item, clientBody, this.#ids, this.#round.number));
    // Some servers omit the items from the last event.
    const own = items.length < this.#round.items.size ? this.#ownItems() : items;
    return toClient(response, this.#options, {
      id: this.#first?.id,
      created_at: this.#first?.created_at,
      output: this.#earlier.length === 0 && given.length === 0 ? undefined : [...this.#earlier, ...own],
      usage: this.#usage === undefined ? undefined : addRawUsage(this.#usage, response.usage),
    });
  }

  #ofItem(type: string, data: WireBody, given: number): WireBody | undefined {
    const { indexes, items, number } = this.#round;
    if (!indexes.has(given)) indexes.set(given, this.#place(data.item));
    const index = indexes.get(given);
    if (index === undefined) return undefined;
    let shown = withValue(data, 'output_index', index);
    if (isRecord(data.item)) {
      const item = toClientItem(data.item, this.#options.clientBody, this.#ids, number);
      if (type === 'response.output_item.done' && isRecord(item)) items.set(index, item);
      shown = withValue(shown, 'item', item);
    }
    const id = stringOf(data.item_id);
    return id === undefined ? shown : withValue(shown, 'item_id', this.#ids.idOf(id, number));
  }

  #place(item: unknown): number | undefined {
    if (isHiddenItem(item, this.#options.isHidden)) return undefined;
    this.#nextIndex += 1;
    return this.#nextIndex - 1;
  }
}

export function extendEnd(frames: readonly WireFrame[], fields: WireBody): readonly WireFrame[] {
  return changeLastFrame(frames, (event) =>
    CLOSING_EVENTS.has(String(event.type)) && isRecord(event.response)
      ? { ...event, response: { ...event.response, ...fields } }
      : undefined,
  );
}

function startRound(number: number, firstIndex: number, firstSequence: number | undefined): Round {
  const empty = { indexes: new Map(), items: new Map(), unnamed: new Map(), held: [] };
  return { number, firstIndex, firstSequence, ...empty };
}

/**
 * `undefined` for a frame that was cut before its data, and for invalid JSON: either may be part of a hidden call, and
 * the client could not read it anyway.
 */
function entryOf(given: WireFrame, known: WireBody | undefined): Entry | undefined {
  const frame = closed(given);
  if (known !== undefined) return { frame, type: eventType(frame, known), data: known };
  if (frame.data === '' && frame !== given) return undefined;
  if (frame.data === '' || frame.data === STREAM_END) return { frame, type: '', data: undefined };
  const reading = parseJson(frame.data);
  if (!reading.ok) return undefined;
  const data = isRecord(reading.value) ? reading.value : undefined;
  return { frame, type: data === undefined ? '' : eventType(frame, data), data };
}

/** The item that an event is about, if the event shows it. */
function itemOf(entry: Entry): unknown {
  const { data } = entry;
  return isRecord(data?.item) || !isOfCall(entry) ? data?.item : { name: data?.name, type: 'function_call' };
}

function isOfCall({ type }: Entry): boolean {
  return type.startsWith('response.function_call_arguments.');
}

/** Whether an event is about a call but does not name the tool. */
function isNameless(entry: Entry): boolean {
  const item = itemOf(entry);
  return isRecord(item) && item.type === 'function_call' && callName(item) === '';
}

function endsRound(entry: Entry): boolean {
  return entry.frame.data === STREAM_END || endsResponse(entry);
}

function endsResponse({ data, type }: Entry): boolean {
  return CLOSING_EVENTS.has(type) || type === 'error' || (type === '' && data?.error !== undefined);
}

/** Whether an entry contains the provider's own error. */
function tellsError(entry: Entry): boolean {
  if (!endsResponse(entry)) return false;
  const { type, data } = entry;
  const isFailed = isRecord(data?.response) && (data.response.status === 'failed' || isRecord(data.response.error));
  return isFailed || type === 'response.failed' || !CLOSING_EVENTS.has(type);
}

/**
 * The object with one value replaced and its keys in the same order. Returns the same object if it already has that
 * value.
 */
function withValue(data: WireBody, key: string, value: unknown): WireBody {
  return data[key] === value ? data : { ...data, [key]: value };
}

import type { AssistantTurn, WireBody, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { isRecord, jsonText, parseJson, isGiven, recordOf, recordsOf, textOf } from '../json/json-text.ts';
import { holdText } from '../stream/held-text.ts';
import { changeLastFrame, closed, encodeComment, encodeFrame, withData } from '../stream/sse.ts';
import { addRawUsage } from '../usage.ts';
import { TurnAssembly } from './reader.ts';
import { CallTracker, isNamed, type StreamedCall } from './calls.ts';
import { firstChoice, rawUsage, stopOf } from './fields.ts';
import { RoundPatch, type Passage } from './patch.ts';
import { textFrames } from './text.ts';

/** A frame with facts about it. */
interface HeldFrame {
  readonly frame: WireFrame;
  readonly chunk: WireBody | undefined;
  /** The calls that the frame's parts belong to, in order. */
  readonly calls: readonly StreamedCall[];
  readonly kind: 'chunk' | 'usage' | 'error' | 'done' | 'comment' | 'unreadable';
}

const DONE = '[DONE]';

export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  return holdText(new ChatWriter(options), textFrames, options);
}

class ChatWriter implements StreamWriter {
  readonly #options: StreamWriterOptions;
  #patch: RoundPatch;
  /** Reads the frames sent to the client, so that it holds the turn as the client sees it. */
  readonly #shownTurn = new TurnAssembly();
  #isFirst = true;
  /** Usage of the rounds before this one. */
  #usage: unknown;
  #roundUsage: WireBody | undefined;
  #trackers = new Map<unknown, CallTracker>();
  /** Frames that wait until the call in the first waiting frame has a name. */
  #queue: HeldFrame[] = [];
  /** The end of the round, from its first frame on. The client gets it only if no other round follows. */
  #tail: HeldFrame[] = [];
  /** Set once the provider has sent the round's end: all names are complete. */
  #hasAllNames = false;
  #isOver = false;

  constructor(options: StreamWriterOptions) {
    this.#options = options;
    this.#patch = new RoundPatch(options);
  }

  write({ frame, data }: WireStep): readonly WireFrame[] {
    if (this.#isOver || frame.raw === '') return [];
    const held = this.#read(frame, data);
    this.#queue.push(held);
    this.#hasAllNames ||= endsRound(held);
    return this.#drain('open', ({ calls }) => calls.some((call) => this.#waitsForName(call)));
  }

  nextRound(): readonly WireFrame[] {
    if (this.#isOver) return [];
    const frames = this.#endRound('between');
    this.#usage = addRawUsage(this.#usage, this.#roundUsage);
    this.#isFirst = false;
    this.restartRound();
    return frames;
  }

  restartRound(): void {
    this.#roundUsage = undefined;
    this.#trackers = new Map();
    this.#queue = [];
    this.#tail = [];
    this.#hasAllNames = false;
    if (this.#isFirst) this.#patch = new RoundPatch(this.#options);
    // Drop only the state of this round, because the client got nothing of the round.
    else this.#patch.nextRound(this.#usage);
  }

  finish(): readonly WireFrame[] {
    if (this.#isOver) return [];
    const frames = this.#endRound('last');
    this.#isOver = true;
    const done = this.#tail.find(({ kind }) => kind === 'done')?.frame ?? encodeFrame(DONE);
    const missing = this.#missing();
    this.#shownTurn.end();
    return [...frames, ...missing, done];
  }

  fail(message: string): readonly WireFrame[] {
    if (this.#isOver) return [];
    const isTold = this.#tail.some(({ kind, chunk }) => kind === 'chunk' && endsWithError(chunk));
    if (isTold && this.#tail.every(({ kind }) => kind !== 'error')) return this.finish();
    const frames = this.#endRound('between');
    this.#isOver = true;
    const theirs = this.#tail.find(({ kind }) => kind === 'error');
    const ours = { error: { message, type: 'server_error', param: null, code: null } };
    this.#shownTurn.add(theirs?.chunk ?? ours);
    this.#shownTurn.end();
    const error = theirs === undefined ? encodeFrame(JSON.stringify(ours)) : closed(theirs.frame);
    return [...frames, error, encodeFrame(DONE)];
  }

  keepAlive(): WireFrame {
    return encodeComment('keep-alive');
  }

  turn(): AssistantTurn {
    return this.#shownTurn.turn();
  }

  #read(frame: WireFrame, known: WireBody | undefined): HeldFrame {
    const data = frame.data.trim();
    const reading = known !== undefined || data === '' || data === DONE ? undefined : parseJson(data);
    const chunk = known ?? (reading?.ok === true && isRecord(reading.value) ? reading.value : undefined);
    if (chunk === undefined) return { frame, chunk, calls: [], kind: kindOf(frame, reading?.ok) };
    const usage = rawUsage(chunk);
    this.#roundUsage = usage ?? this.#roundUsage;
    const choices = recordsOf(chunk.choices);
    const calls = choices.flatMap(({ index, delta }) => {
      const tracker = this.#trackers.get(index) ?? new CallTracker();
      this.#trackers.set(index, tracker);
      const callParts = recordsOf(recordOf(delta).tool_calls);
      return callParts.map((part) => tracker.take(part));
    });
    const isUsage = choices.length === 0 && usage !== undefined;
    return { frame, chunk, calls, kind: isGiven(chunk.error) ? 'error' : isUsage ? 'usage' : 'chunk' };
  }

  /** Passes frames on, in order, up to the first frame that has to wait. */
  #drain(passage: Passage, waits: (held: HeldFrame) => boolean): WireFrame[] {
    const frames: WireFrame[] = [];
    for (let held = this.#queue[0]; held !== undefined && !waits(held); [held] = this.#queue) {
      this.#queue.shift();
      if (this.#tail.length > 0 || endsRound(held)) frames.push(...this.#holdEnd(held).map(closed));
      else frames.push(...this.#render(held, passage).map(closed));
    }
    return frames;
  }

  /** Hidden calls take time to run, so the client gets its own content now and only the end waits. */
  #holdEnd(held: HeldFrame): readonly WireFrame[] {
    const end = this.#tail.length === 0 && this.#hidesCalls ? endOnly(held) : undefined;
    this.#tail.push(end ?? held);
    return end === undefined ? [] : this.#render(held, 'between');
  }

  /** Whether any call of the round is hidden from the client. */
  get #hidesCalls(): boolean {
    const calls = [...this.#trackers.values()].flatMap((tracker) => tracker.calls);
    return calls.some(({ name }) => name !== '' && this.#options.isHidden(name));
  }

  #waitsForName(call: StreamedCall): boolean {
    return this.#hasAllNames ? call.name === '' : !isNamed(call);
  }

  #endRound(passage: 'between' | 'last'): readonly WireFrame[] {
    const frames = this.#drain(passage, () => false);
    return [...frames, ...this.#tail.flatMap((held) => this.#render(held, passage).map(closed))];
  }

  #render({ frame, chunk, calls, kind }: HeldFrame, passage: Passage): readonly WireFrame[] {
    // An unreadable frame would break a client: the reader has reported the error, and `fail` sends it at the end.
    if (kind === 'done' || kind === 'unreadable' || (kind === 'error' && passage === 'between')) return [];
    if (chunk === undefined) return [frame];
    const patched = kind === 'error' ? chunk : this.#patch.chunk(chunk, calls, passage);
    const text = patched === chunk ? frame.data : jsonText(patched);
    if (patched === undefined || text === undefined) return [];
    this.#shownTurn.add(patched);
    return [patched === chunk ? frame : withData(frame, text)];
  }

  /**
   * The end that the last round did not send although the client needs it: a finish reason, and the usage of all
   * rounds.
   */
  #missing(): readonly WireFrame[] {
    const hasError = this.#tail.some(({ kind }) => kind === 'error');
    const finish = hasError ? undefined : this.#patch.missingFinish();
    const lacksUsage = this.#options.includesUsage && this.#roundUsage === undefined && this.#usage !== undefined;
    const usage = lacksUsage ? { ...this.#patch.envelope(), choices: [], usage: this.#usage } : undefined;
    return [finish, usage].flatMap((chunk) => {
      const text = jsonText(chunk);
      if (chunk === undefined || text === undefined) return [];
      this.#shownTurn.add(chunk);
      return [encodeFrame(text)];
    });
  }
}

export function extendEnd(frames: readonly WireFrame[], fields: WireBody): readonly WireFrame[] {
  return changeLastFrame(frames, (chunk) => (isRecord(chunk.usage) ? { ...chunk, ...fields } : undefined));
}

function kindOf(frame: WireFrame, isJson: boolean | undefined): HeldFrame['kind'] {
  if (frame.data.trim() === DONE) return 'done';
  const isCutBeforeData = frame.data === '' && closed(frame) !== frame;
  return isJson === false || isCutBeforeData ? 'unreadable' : 'comment';
}

/** Only the end of the round in a frame; `undefined` if the frame contains nothing else. */
function endOnly({ frame, chunk, kind }: HeldFrame): HeldFrame | undefined {
  const choices = recordsOf(chunk?.choices);
  if (kind !== 'chunk' || choices.every(({ delta }) => Object.keys(recordOf(delta)).length === 0)) return undefined;
  const end = { ...chunk, choices: choices.map((choice) => ({ ...choice, delta: {} })) };
  const text = jsonText(end);
  return text === undefined ? undefined : { frame: withData(frame, text), chunk: end, calls: [], kind };
}

/** Some servers report an error only in the finish reason. */
function endsWithError(chunk: WireBody | undefined): boolean {
  const reason = firstChoice(chunk ?? {})?.finish_reason;
  return textOf(reason) !== undefined && stopOf(reason, false, false) === 'error';
}

function endsRound({ kind, chunk }: HeldFrame): boolean {
  if (kind !== 'chunk') return kind === 'done' || kind === 'error';
  const choices = recordsOf(chunk?.choices);
  return choices.some((choice) => textOf(choice.finish_reason) !== undefined);
}

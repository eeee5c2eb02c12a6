import type { WireBody, WireFrame } from '../../spec/wire.ts';
import { isRecord, recordOf, textOf } from '../json/json-text.ts';
import { addRawUsage } from '../usage.ts';
import { EMPTY_PART, functionCallOf, isEmptyPart, itemsOf, partsOf, rawUsage } from './fields.ts';
import type { StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { closed, encodeFrame, withData } from '../stream/sse.ts';

/** The position of a chunk: within a round, at the end of a round that another follows, or at the very end. */
export type Passage = 'open' | 'between' | 'last';

/** The fields that are the same in every chunk of a stream. */
const ENVELOPE = ['responseId', 'modelVersion'] as const;

/** The fields that a candidate without content may have. */
const IDLE: ReadonlySet<string> = new Set(['content', 'index', 'safetyRatings', 'tokenCount', 'avgLogprobs']);

/**
 * Combines the chunks of several rounds into one answer: what the client saw of the first round stays unchanged, and
 * calls of hidden tools disappear. A chunk that needs no change is returned as the same object.
 */
export class RoundPatch {
  #isHidden: (toolName: string) => boolean;
  #isFirst = true;
  #envelope: WireBody = {};
  /**
   * `#usage` is the usage of the earlier rounds, and `#roundUsage` that of this round. Every chunk repeats the round's
   * usage, so the last value counts.
   */
  #usage: unknown;
  #roundUsage: WireBody | undefined;
  /** Whether the call that the next part continues is hidden. */
  #openIsHidden = false;
  #hidesCalls = false;
  #seesCalls = false;
  /** The signature of a hidden call, which covers all calls of the round. */
  #signature: string | undefined;
  /** The last characters of texts and thoughts: in the earlier rounds (`#before`), and in all rounds (`#ends`). */
  #before = new Map<string, string>();
  readonly #ends = new Map<string, string>();

  constructor(isHidden: (toolName: string) => boolean) {
    this.#isHidden = isHidden;
  }

  nextRound(isHidden: (toolName: string) => boolean = this.#isHidden): void {
    this.#isHidden = isHidden;
    this.#isFirst = false;
    this.#usage = addRawUsage(this.#usage, this.#roundUsage);
    this.#roundUsage = undefined;
    this.#before = new Map(this.#ends);
    this.#openIsHidden = false;
    this.#hidesCalls = false;
    this.#seesCalls = false;
    this.#signature = undefined;
  }

  /** Whether the answer so far is unchanged from the provider's. */
  get isUntouched(): boolean {
    return this.#isFirst && !this.#hidesCalls;
  }

  /** Whether this round has hidden calls, including those of this chunk. */
  hidesCalls(chunk: WireBody): boolean {
    if (this.#hidesCalls) return true;
    const parts = itemsOf(chunk.candidates).filter(isRecord).flatMap(partsOf);
    return parts.some((part) => this.#isHiddenCall(functionCallOf(part)));
  }

  /** A chunk of our own: an empty one, or one that ends the answer. */
  create(finishReason?: string): WireBody {
    const content = { parts: [EMPTY_PART], role: 'model' };
    if (finishReason === undefined) return { candidates: [{ content, index: 0 }], ...this.#envelope };
    return this.#withUsage({ candidates: [{ content, finishReason, index: 0 }], ...this.#envelope }, 'last');
  }

  /** The client's version of the chunk; `undefined` if nothing in it is for the client. */
  chunk(chunk: WireBody, passage: Passage): WireBody | undefined {
    this.#note(chunk);
    const candidates = itemsOf(chunk.candidates);
    const patched = candidates.map((given) => (isRecord(given) ? this.#candidate(given, passage) : given));
    const isSame = patched.every((candidate, index) => candidate === candidates[index]);
    const kept = isSame ? patched : patched.filter((candidate) => candidate !== undefined);
    if (kept.length === 0 && candidates.length > 0) return undefined;
    const shown = this.#withUsage(isSame ? chunk : { ...chunk, candidates: kept }, passage);
    return this.#isFirst ? shown : { ...shown, ...this.#envelope };
  }

  /** Remembers the fields that stay the same and those whose last value counts. */
  #note(chunk: WireBody): void {
    const told = ENVELOPE.filter((key) => this.#envelope[key] === undefined && textOf(chunk[key]) !== undefined);
    for (const key of told) this.#envelope = { ...this.#envelope, [key]: chunk[key] };
    const usage = rawUsage(chunk);
    if (usage !== undefined) this.#roundUsage = { ...this.#roundUsage, ...usage };
  }

  #withUsage(chunk: WireBody, passage: Passage): WireBody {
    const usage = rawUsage(chunk);
    if (this.isUntouched || (usage === undefined && passage !== 'last')) return chunk;
    const total = addRawUsage(this.#usage, usage ?? this.#roundUsage);
    return total === undefined || total === usage ? chunk : { ...chunk, usageMetadata: total };
  }

  #candidate(given: WireBody, passage: Passage): WireBody | undefined {
    const parts = partsOf(given);
    const visible = parts.flatMap((part) => this.#part(part));
    const isWhole = visible.length === parts.length && visible.every((part, index) => part === parts[index]);
    const ends = passage === 'between' && given.finishReason !== undefined;
    if (isWhole && !ends) return given;
    const { finishReason: _reason, finishMessage: _message, ...rest } = given;
    const candidate = ends ? rest : given;
    const hasOther = Object.keys(candidate).some((key) => !IDLE.has(key));
    if (passage !== 'last' && !hasOther && visible.every(isEmptyPart)) return undefined;
    if (isWhole) return candidate;
    return {
      ...candidate,
      content: { ...recordOf(given.content), parts: visible.length === 0 ? [EMPTY_PART] : visible },
    };
  }

  #part(part: unknown): readonly unknown[] {
    if (!isRecord(part)) return [part];
    const call = functionCallOf(part);
    if (call !== undefined) return this.#callPart(part, call);
    const text = textOf(part.text);
    if (text === undefined) return [part];
    const key = part.thought === true ? 'thought' : 'text';
    const lead = this.#before.has(key) ? roundBreak(this.#before.get(key) ?? '', text) : '';
    this.#before.delete(key);
    this.#ends.set(key, `${this.#ends.get(key) ?? ''}${text}`.slice(-2));
    return [lead === '' ? part : { ...part, text: lead + text }];
  }

  #callPart(part: WireBody, call: WireBody): readonly WireBody[] {
    const isHidden = this.#isHiddenCall(call);
    this.#openIsHidden = isHidden && call.willContinue === true;
    if (isHidden) {
      this.#hidesCalls = true;
      this.#signature ??= textOf(part.thoughtSignature);
      return [];
    }
    // The first of several parallel calls carries the signature, and the provider refuses a turn whose first call has
    // none.
    const inherits = !this.#seesCalls && this.#signature !== undefined && part.thoughtSignature === undefined;
    this.#seesCalls = true;
    return [inherits ? { ...part, thoughtSignature: this.#signature } : part];
  }

  #isHiddenCall(call: WireBody | undefined): boolean {
    if (call === undefined) return false;
    const name = textOf(call.name);
    return name === undefined ? this.#openIsHidden : this.#isHidden(name);
  }
}

/** The separator between the texts of two rounds, so that they are not run together. */
function roundBreak(before: string, next: string): string {
  return before === '' || next === '' || before.endsWith('\n\n') || next.startsWith('\n\n') ? '' : '\n\n';
}

/** How a stream separates the chunks of an answer. */
export type Framing = NonNullable<StreamWriterOptions['framing']>;

/** Fits chunks of either framing into one stream with a single framing. */
export interface FrameFitter {
  /** The frame with this data, for its position in the stream. `isNative`: it arrived in this framing. */
  fit(frame: WireFrame, data: string, isNative: boolean): WireFrame;
  /** Creates a frame of our own. */
  create(data: string): WireFrame;
  /** The end of the stream: the provider's own, if it fits. */
  end(given: WireFrame | undefined): readonly WireFrame[];
}

export function createFrameFitter(framing: Framing): FrameFitter {
  return framing === 'sse' ? SSE : new ArrayFitter();
}

const SSE: FrameFitter = {
  fit: (frame, data, isNative) => {
    // Plain JSON in the middle of events is an error that ends the stream; clients know how to read it.
    if (isNative && frame.data === '' && frame.raw.trim() === data) return frame;
    if (!isNative || frame.data === '') return encodeFrame(data);
    return closed(frame.data === data ? frame : withData(frame, data));
  },
  create: (data) => encodeFrame(data),
  end: () => [],
};

/** Adds brackets and commas as needed. Keeps the provider's own if they are already right. */
class ArrayFitter implements FrameFitter {
  #isEmpty = true;

  fit(frame: WireFrame, data: string, isNative: boolean): WireFrame {
    const before = isNative ? frame.raw.slice(0, frame.raw.length - frame.data.length) : '';
    const isFitting = this.#isEmpty ? before.includes('[') : before.includes(',') && !before.includes('[');
    const lead = isFitting ? before : this.#isEmpty ? '[' : ',\r\n';
    this.#isEmpty = false;
    return { event: undefined, data, raw: lead + data };
  }

  create(data: string): WireFrame {
    return this.fit({ event: undefined, data, raw: data }, data, false);
  }

  end(given: WireFrame | undefined): readonly WireFrame[] {
    const opens = given?.raw.includes('[') === true;
    if (given !== undefined && opens === this.#isEmpty) return [given];
    return [{ event: undefined, data: '', raw: this.#isEmpty ? '[]' : ']' }];
  }
}

/** The framing of a stream that begins with this frame; `undefined` if the frame does not show it. */
export function framingOf({ raw }: WireFrame): Framing | undefined {
  const start = raw.replace(/^[\uFEFF\s]+/, '').charAt(0);
  if (start === '') return undefined;
  // A frame that starts with a comma follows chunks that were all hidden.
  return start === '[' || start === ',' || start === '{' ? 'json-array' : 'sse';
}

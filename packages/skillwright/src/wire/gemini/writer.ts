import type { AssistantTurn, WireBody, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { isRecord, jsonText, parseJson, recordOf, textOf } from '../json/json-text.ts';
import { holdText } from '../stream/held-text.ts';
import { changeLastFrame, closed } from '../stream/sse.ts';
import { TurnAssembly } from './assembly.ts';
import {
  blockReason,
  chunkOf,
  EMPTY_PART,
  fieldOf,
  firstCandidate,
  frameJson,
  hasError,
  itemsOf,
  stopOf,
} from './fields.ts';
import { createFrameFitter, type FrameFitter, type Framing, framingOf, RoundPatch, type Passage } from './patch.ts';
import { textFrames } from './text.ts';

/** A frame with facts about it. `end` is the closing bracket of an array. */
interface HeldFrame {
  readonly frame: WireFrame;
  readonly chunk: WireBody | undefined;
  /** Whether the chunk was changed. */
  readonly isChanged: boolean;
  readonly kind: 'chunk' | 'error' | 'end' | 'other';
}

interface UnseenChunk {
  readonly chunk: WireBody;
  readonly passage: Passage;
}

export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  return holdText(new GeminiWriter(options), textFrames, options);
}

class GeminiWriter implements StreamWriter {
  readonly #isHidden: StreamWriterOptions['isHidden'];
  readonly #patch: RoundPatch;
  /** Reads the frames sent to the client, so that it holds the turn as the client sees it. */
  readonly #shownTurn = new TurnAssembly();
  /**
   * The round's chunks, as long as the client has got none of the round; `undefined` afterwards. The patch gets these
   * chunks only when the client does, because the round may still be dropped before.
   */
  #unseen: UnseenChunk[] | undefined = [];
  /** Knows only the unseen chunks, to find out whether the client gets anything of the next chunk. */
  #probe: RoundPatch;
  readonly #asked: Framing | undefined;
  #fitter: FrameFitter | undefined;
  /** The framing of the client's stream (`#framing`), and of the round's stream (`#given`). */
  #framing: Framing;
  #given: Framing | undefined;
  /** The end of the round, from its first frame on. The client gets it only if no other round follows. */
  #tail: HeldFrame[] = [];
  #hasEnd = false;
  #isOver = false;

  constructor({ isHidden, framing }: StreamWriterOptions) {
    this.#isHidden = isHidden;
    this.#patch = new RoundPatch(isHidden);
    this.#probe = new RoundPatch(isHidden);
    this.#asked = framing;
    this.#framing = framing ?? 'sse';
  }

  write({ frame, data }: WireStep): readonly WireFrame[] {
    if (this.#isOver || frame.raw === '') return [];
    this.#given ??= framingOf(frame);
    if (this.#fitter === undefined) this.#framing = this.#asked ?? this.#given ?? 'sse';
    const held = this.#read(frame, data);
    if (this.#tail.length > 0 || held.kind === 'error' || held.kind === 'end') return this.#hold(held);
    if (held.chunk === undefined || !endsRound(held.chunk)) return this.#render(held, 'open');
    this.#hasEnd = true;
    const known = this.#unseen === undefined ? this.#patch : this.#probe;
    if (!known.hidesCalls(held.chunk)) return this.#hold(held);
    // Hidden calls take time to run, so the client gets its own frames now and only the end waits.
    const shown = this.#render(held, 'between');
    this.#hold({ ...held, chunk: withoutParts(held.chunk), isChanged: true });
    return shown;
  }

  nextRound(): readonly WireFrame[] {
    if (this.#isOver) return [];
    this.#learnUnseen();
    const frames = this.#tail.flatMap((held) => this.#render(held, 'between'));
    this.#patch.nextRound();
    this.restartRound();
    return frames;
  }

  restartRound(): void {
    this.#tail = [];
    this.#hasEnd = false;
    this.#given = undefined;
    this.#unseen = [];
    this.#probe = new RoundPatch(this.#isHidden);
  }

  finish(): readonly WireFrame[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    this.#learnUnseen();
    const endAt = this.#tail.findIndex(({ kind }) => kind === 'end');
    const tail = endAt === -1 ? this.#tail : this.#tail.slice(0, endAt);
    const after = endAt === -1 ? [] : this.#tail.slice(endAt + 1);
    return [
      ...tail.flatMap((held) => this.#render(held, 'last')),
      ...this.#missingEnd(),
      ...this.#fit().end(this.#isNative ? this.#tail[endAt]?.frame : undefined),
      ...after.flatMap((held) => this.#render(held, 'last')),
    ];
  }

  fail(message: string): readonly WireFrame[] {
    if (this.#isOver) return [];
    const isTold = this.#tail.some(({ chunk }) => chunk !== undefined && endsWithError(chunk));
    if (isTold && this.#tail.every(({ kind }) => kind !== 'error')) return this.finish();
    this.#learnUnseen();
    const frames = this.#tail.flatMap((held) => this.#render(held, 'between'));
    this.#isOver = true;
    const theirs = this.#tail.find(({ kind, chunk }) => kind === 'error' && chunk !== undefined);
    const ours = { error: { code: 500, message, status: 'INTERNAL' } };
    const error = theirs === undefined ? this.#create(ours) : this.#render(theirs, 'last');
    return [...frames, ...error, ...this.#fit().end(undefined)];
  }

  /**
   * A keep-alive frame: white space in an array, and an empty chunk in server-sent events. A comment would not work
   * there, because Google's client for Python and its older clients for JavaScript treat a comment as a broken stream.
   */
  keepAlive(): WireFrame {
    if (this.#framing === 'json-array') return { event: undefined, data: '', raw: '\n' };
    return this.#fit().create(JSON.stringify({ ...this.#probe.create(), ...this.#patch.create() }));
  }

  turn(): AssistantTurn {
    return this.#shownTurn.turn();
  }

  /** Whether the round's framing is the client's. */
  get #isNative(): boolean {
    return this.#given === this.#framing;
  }

  #fit(): FrameFitter {
    this.#fitter ??= createFrameFitter(this.#framing);
    return this.#fitter;
  }

  #hold(held: HeldFrame): readonly WireFrame[] {
    if (held.chunk !== undefined && endsRound(held.chunk)) this.#hasEnd = true;
    this.#tail.push(held);
    return [];
  }

  #read(frame: WireFrame, known: WireBody | undefined): HeldFrame {
    const json = frameJson(frame);
    const isClose = json === '' && this.#given === 'json-array' && frame.raw.includes(']');
    if (isClose) return { frame, chunk: undefined, isChanged: false, kind: 'end' };
    const isRead = known !== undefined || json === '' || json === '[DONE]';
    const reading = isRead ? undefined : parseJson(json);
    const chunk = known ?? (reading?.ok === true ? chunkOf(reading.value) : undefined);
    // An unreadable frame would break a client; the reader reports the error, and the writer sends it at the end.
    const isError = chunk === undefined ? reading?.ok === false : hasError(chunk);
    const kind = isError ? 'error' : chunk === undefined ? 'other' : 'chunk';
    return { frame, chunk, isChanged: false, kind };
  }

  #render({ frame, chunk, isChanged, kind }: HeldFrame, passage: Passage): readonly WireFrame[] {
    if (kind === 'end' || (passage === 'between' && (kind === 'error' || chunk === undefined))) return [];
    if (kind === 'other') return this.#isNative ? this.#other(frame) : [];
    const data = frame.data === '' ? frameJson(frame) : frame.data;
    const patched = chunk === undefined || kind === 'error' ? chunk : this.#patched(chunk, passage);
    const text = patched === chunk && !isChanged ? data : jsonText(patched);
    if (text === undefined) return [];
    if (patched !== undefined) this.#shownTurn.add(patched);
    return [this.#fit().fit(frame, text, this.#isNative)];
  }

  #patched(chunk: WireBody, passage: Passage): WireBody | undefined {
    if (this.#unseen === undefined) return this.#patch.chunk(chunk, passage);
    this.#unseen.push({ chunk, passage });
    return this.#probe.chunk(chunk, passage) === undefined ? undefined : this.#learnUnseen();
  }

  /** Passes the unseen chunks to the patch, and returns the client's version of the last chunk. */
  #learnUnseen(): WireBody | undefined {
    const shown = this.#unseen?.map(({ chunk, passage }) => this.#patch.chunk(chunk, passage));
    this.#unseen = undefined;
    return shown?.at(-1);
  }

  /**
   * Comments, white space and frames that are not chunks. Returns nothing for an event that was cut before its data.
   */
  #other(frame: WireFrame): readonly WireFrame[] {
    if (frame.data !== '') return [this.#fit().fit(frame, frame.data, true)];
    return this.#given === 'sse' && closed(frame) !== frame ? [] : [frame];
  }

  /** Creates the end of the answer if the last round did not send one. */
  #missingEnd(): readonly WireFrame[] {
    const isTold = this.#hasEnd || this.#tail.some(({ kind }) => kind === 'error');
    if (isTold || this.#patch.isUntouched) return [];
    return this.#create(this.#patch.create('STOP'));
  }

  /** A frame of our own; no frame for a value that cannot be written. */
  #create(chunk: WireBody): readonly WireFrame[] {
    const text = jsonText(chunk);
    if (text === undefined) return [];
    this.#shownTurn.add(chunk);
    return [this.#fit().create(text)];
  }
}

export function extendEnd(frames: readonly WireFrame[], fields: WireBody): readonly WireFrame[] {
  return changeLastFrame(frames, (chunk) =>
    isRecord(fieldOf(chunk, 'usageMetadata')) ? { ...chunk, ...fields } : undefined,
  );
}

/** Whether a chunk ends the answer with an error. A failed use of tools shows only in the finish reason. */
function endsWithError(chunk: WireBody): boolean {
  return stopOf(textOf(firstCandidate(chunk)?.finishReason), false) === 'error';
}

function endsRound(chunk: WireBody): boolean {
  const candidates = itemsOf(chunk.candidates).filter(isRecord);
  return (
    blockReason(chunk) !== undefined || candidates.some((candidate) => textOf(candidate.finishReason) !== undefined)
  );
}

/** The end of the answer in a chunk, without the chunk's parts. */
function withoutParts(chunk: WireBody): WireBody {
  const candidates = itemsOf(chunk.candidates).map((candidate) =>
    isRecord(candidate)
      ? { ...candidate, content: { ...recordOf(candidate.content), parts: [EMPTY_PART] } }
      : candidate,
  );
  return { ...chunk, candidates };
}

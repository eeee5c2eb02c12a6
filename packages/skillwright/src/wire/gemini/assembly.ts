import type { AssistantTurn, StreamProgress, WireBody, WireEvent } from '../../spec/wire.ts';
import { CallIds, callSeed } from '../calls/call-ids.ts';
import { errorMessage, isRecord, NESTED_TOO_DEEP, recordOf, textOf } from '../json/json-text.ts';
import { CallArguments } from './call-arguments.ts';
import {
  blockReason,
  firstCandidate,
  functionCallOf,
  hasError,
  isEmptyPart,
  partsOf,
  plainKind,
  rawUsage,
  stopOf,
  usageOf,
} from './fields.ts';

interface Call {
  readonly position: number;
  readonly id: string;
  readonly name: string;
  readonly args: CallArguments;
  isComplete: boolean;
}

/** A part of the answer. If the part contains a piece of a call, `call` is the whole call. */
interface Kept {
  part: unknown;
  readonly call: Call | undefined;
}

/** Assembles a turn from the chunks of a stream; a whole response counts as a stream with one chunk. */
export class TurnAssembly {
  #id: string | undefined;
  #model: string | undefined;
  #hasStarted = false;
  #hasCandidate = false;
  #text = '';
  #reasoning = '';
  #content: WireBody = {};
  readonly #parts: Kept[] = [];
  readonly #calls: Call[] = [];
  readonly #ids = new CallIds('call');
  #seed: string | undefined;
  #finishReason: string | undefined;
  #usage: WireBody | undefined;
  #error: string | undefined;
  /** Whether the error came from the provider. */
  #isTold = false;

  /** Whether the provider ended the answer, with success or an error. */
  get isOver(): boolean {
    return this.#finishReason !== undefined || this.#error !== undefined;
  }

  get progress(): StreamProgress {
    if (this.#finishReason !== undefined) return 'told';
    return this.#error === undefined ? 'open' : this.#isTold ? 'failed' : 'broken';
  }

  /** Whether the provider answered at all, even with a refusal. */
  get hasAnswer(): boolean {
    return this.isOver || this.#hasCandidate;
  }

  /** Adds a chunk and returns its events. */
  add(chunk: WireBody): readonly WireEvent[] {
    const events = this.#start(chunk);
    const candidate = firstCandidate(chunk);
    this.#hasCandidate ||= candidate !== undefined;
    this.#content = { ...this.#content, ...recordOf(candidate?.content) };
    for (const [index, part] of partsOf(candidate).entries()) events.push(...this.#part(part, index === 0));
    const usage = rawUsage(chunk);
    if (usage !== undefined) {
      // Every chunk repeats the usage: the last value of each field counts.
      this.#usage = { ...this.#usage, ...usage };
      events.push({ type: 'usage', usage: usageOf(this.#usage) });
    }
    if (hasError(chunk)) {
      this.#isTold ||= this.#error === undefined;
      events.push(this.fail(errorMessage(chunk.error)));
    }
    const finishReason = textOf(candidate?.finishReason) ?? (blockReason(chunk) === undefined ? undefined : 'SAFETY');
    if (finishReason !== undefined) events.push(...this.#finish(finishReason, textOf(candidate?.finishMessage)));
    return events;
  }

  fail(message: string): WireEvent {
    this.#error ??= message;
    return { type: 'error', message };
  }

  turn(): AssistantTurn {
    const calls = this.#calls.map(({ id, name, args, isComplete }) => ({
      id,
      name,
      argumentsText: args.text(isComplete),
    }));
    return {
      id: this.#id,
      model: this.#model,
      text: this.#text,
      reasoning: this.#reasoning,
      calls,
      stop: this.#error === undefined ? stopOf(this.#finishReason, calls.length > 0) : 'error',
      usage: this.#usage === undefined ? undefined : usageOf(this.#usage),
      error: this.#error,
      echo: this.#echo(),
    };
  }

  #start(chunk: WireBody): WireEvent[] {
    this.#id ??= textOf(chunk.responseId);
    this.#model ??= textOf(chunk.modelVersion);
    if (this.#hasStarted || !('candidates' in chunk || 'promptFeedback' in chunk)) return [];
    this.#hasStarted = true;
    return [{ type: 'start', id: this.#id, model: this.#model }];
  }

  #part(part: unknown, isSeam: boolean): readonly WireEvent[] {
    const call = functionCallOf(part);
    if (call !== undefined) return this.#callPart(part as WireBody, call);
    this.#keep(part, isSeam);
    const text = isRecord(part) ? textOf(part.text) : undefined;
    if (text === undefined) return [];
    if ((part as WireBody).thought === true) {
      this.#reasoning += text;
      return [{ type: 'reasoning', text }];
    }
    this.#text += text;
    return [{ type: 'text', text }];
  }

  /** Joins text that the stream split into chunks; parts with signatures stay unchanged. */
  #keep(part: unknown, isSeam: boolean): void {
    const last = this.#parts.at(-1);
    const kind = plainKind(part);
    const goesOn = isSeam && last !== undefined && kind !== undefined && plainKind(last.part) === kind;
    if (!goesOn) this.#parts.push({ part, call: undefined });
    else last.part = { ...(last.part as WireBody), text: textIn(last.part) + textIn(part) };
  }

  #callPart(part: WireBody, given: WireBody): readonly WireEvent[] {
    const open = this.#calls.at(-1);
    const name = textOf(given.name);
    if (name !== undefined) return this.#openCall(part, given, name);
    if (open === undefined || open.isComplete) {
      if (Object.keys(given).length > 0) this.#parts.push({ part, call: undefined });
      return [];
    }
    const kept = this.#parts.find(({ call }) => call === open);
    if (kept !== undefined) kept.part = { ...part, ...(kept.part as WireBody) };
    open.args.add(given);
    return given.willContinue === true ? [] : this.#closeCall(open);
  }

  #openCall(part: WireBody, given: WireBody, name: string): readonly WireEvent[] {
    const position = this.#calls.length;
    this.#seed ??= callSeed(this.#id);
    const id = this.#ids.claim(textOf(given.id), position, this.#seed);
    const call: Call = { position, id, name, args: new CallArguments(), isComplete: false };
    call.args.add(given);
    const before = this.#closeOpen();
    this.#calls.push(call);
    this.#parts.push({ part, call });
    const start: WireEvent = { type: 'call-start', call: position, id, name };
    return given.willContinue === true ? [...before, start] : [...before, start, ...this.#closeCall(call)];
  }

  #closeCall(call: Call): readonly WireEvent[] {
    call.isComplete = true;
    return [
      { type: 'call-arguments', call: call.position, text: call.args.text(true) },
      { type: 'call-end', call: call.position },
    ];
  }

  /** Ends a call whose remaining pieces never came: its arguments are incomplete. */
  #closeOpen(): readonly WireEvent[] {
    const open = this.#calls.at(-1);
    if (open === undefined || open.isComplete) return [];
    return [
      { type: 'call-arguments', call: open.position, text: open.args.text(false) },
      { type: 'call-end', call: open.position },
    ];
  }

  /** Reports the end of the answer, once. */
  #finish(finishReason: string, message: string | undefined): readonly WireEvent[] {
    if (this.#finishReason !== undefined) return [];
    this.#finishReason = finishReason;
    const events = [...this.#closeOpen()];
    const reason = stopOf(finishReason, this.#calls.length > 0);
    if (reason === 'error') events.push(this.fail(message ?? `The provider ended the answer with '${finishReason}'.`));
    return [...events, { type: 'stop', reason: this.#error === undefined ? reason : 'error' }];
  }

  /**
   * The answer's content for the next request. Parts stay in their place, because the provider requires signatures
   * where it sent them; empty parts are left out, because the provider refuses them.
   */
  #echo(): WireBody | undefined {
    const parts = this.#parts
      .map(({ part, call }) => (call === undefined ? part : callPart(part as WireBody, call)))
      .filter((part) => !isEmptyPart(part));
    if (parts.length === 0) return undefined;
    const content = { ...this.#content, parts };
    return textOf(this.#content.role) === undefined ? { ...content, role: 'model' } : content;
  }
}

function textIn(part: unknown): string {
  return String((part as WireBody).text);
}

/**
 * Combines a call into one part: unchanged if the call arrived whole, assembled if it arrived in pieces. Leaves out the
 * id if another call has the same id, and arguments that cannot be written as JSON.
 */
function callPart(part: WireBody, { id, name, args }: Call): WireBody {
  const { partialArgs, willContinue, ...given } = recordOf(part.functionCall);
  const { id: givenId, ...nameless } = given;
  const isRepeated = textOf(givenId) !== undefined && givenId !== id;
  const own = isRepeated ? nameless : given;
  const isWhole = partialArgs === undefined && willContinue === undefined;
  if (args.text(true) === NESTED_TOO_DEEP) return { ...part, functionCall: { ...own, name, args: {} } };
  if (!isWhole) return { ...part, functionCall: { ...own, name, args: args.value() } };
  return isRepeated ? { ...part, functionCall: own } : part;
}

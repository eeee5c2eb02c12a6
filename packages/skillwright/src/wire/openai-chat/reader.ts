import type { StreamReader } from '../../spec/formats/model-format.ts';
import type { AssistantTurn, Usage, WireBody, WireEvent } from '../../spec/wire.ts';
import { createTurnReader, type StreamedTurn, TurnState } from '../stream/turn-reader.ts';
import { CallIds, callSeed } from '../calls/call-ids.ts';
import { errorMessage, isRecord, isGiven, listOf, recordOf, textOf } from '../json/json-text.ts';
import { CallTracker, isNamed, type StreamedCall } from './calls.ts';
import { callBody, contentText, firstChoice, reasoningText, stopOf, usageOf } from './fields.ts';
import { MessageAssembly } from './response.ts';

export function createStreamReader(): StreamReader {
  return createTurnReader(new TurnAssembly());
}

/** Assembles a turn from the chunks of a stream. */
export class TurnAssembly implements StreamedTurn {
  readonly state: TurnState = new TurnState();
  readonly #message = new MessageAssembly();
  readonly #calls = new CallTracker();
  readonly #ids = new CallIds('call');
  #seed: string | undefined;
  /** The ids of the calls that have started, by position. */
  readonly #started = new Map<number, string>();
  #id: string | undefined;
  #model: string | undefined;
  #hasStarted = false;
  #text = '';
  #reasoning = '';
  #hasRefusal = false;
  #finishReason: string | undefined;
  #usage: Usage | undefined;

  /** Adds a chunk and returns its events. */
  add(chunk: WireBody): readonly WireEvent[] {
    const events: WireEvent[] = this.#start(chunk);
    const choice = firstChoice(chunk);
    if (choice !== undefined) events.push(...this.#delta(recordOf(choice.delta ?? choice.message)));
    const usage = usageOf(chunk);
    if (usage !== undefined) {
      this.#usage = usage;
      events.push({ type: 'usage', usage });
    }
    if (isGiven(chunk.error)) events.push(this.state.fail(errorMessage(chunk.error), 'failed'));
    const finishReason = textOf(choice?.finish_reason);
    if (finishReason !== undefined) events.push(...this.#finish(finishReason));
    return events;
  }

  /** Handles the sentinel at the end of the stream. */
  end(): readonly WireEvent[] {
    this.state.close();
    return this.#finish(undefined);
  }

  turn(): AssistantTurn {
    const calls = this.#calls.calls.map((call) => ({
      id: this.#started.get(call.position) ?? call.givenId ?? '',
      name: call.name,
      argumentsText: call.argumentsText,
    }));
    return {
      id: this.#id,
      model: this.#model,
      text: this.#text,
      reasoning: this.#reasoning,
      calls,
      stop: this.state.error === undefined ? stopOf(this.#finishReason, calls.length > 0, this.#hasRefusal) : 'error',
      usage: this.#usage,
      error: this.state.error,
      echo: this.#message.assemble(calls),
    };
  }

  #start(chunk: WireBody): WireEvent[] {
    this.#id ??= textOf(chunk.id);
    this.#model ??= textOf(chunk.model);
    if (this.#hasStarted || (this.#id === undefined && this.#model === undefined)) return [];
    this.#hasStarted = true;
    return [{ type: 'start', id: this.#id, model: this.#model }];
  }

  #delta(delta: WireBody): readonly WireEvent[] {
    const events: WireEvent[] = [];
    this.#message.add(delta);
    this.#hasRefusal ||= textOf(delta.refusal) !== undefined;
    const reasoning = reasoningText(delta);
    if (reasoning !== '') events.push({ type: 'reasoning', text: reasoning });
    const text = contentText(delta.content);
    if (text !== '') events.push({ type: 'text', text });
    this.#reasoning += reasoning;
    this.#text += text;
    for (const part of listOf(delta.tool_calls)) if (isRecord(part)) events.push(...this.#callPart(part));
    return events;
  }

  #callPart(part: WireBody): readonly WireEvent[] {
    const call = this.#calls.take(part);
    this.#message.addCall(call.position, part);
    if (!isNamed(call) && !this.state.isTold) return [];
    if (!this.#started.has(call.position)) return this.#startCall(call);
    const { text } = callBody(part);
    return text === '' ? [] : [{ type: 'call-arguments', call: call.position, text }];
  }

  #startCall(call: StreamedCall): readonly WireEvent[] {
    this.#seed ??= callSeed(this.#id);
    const id = this.#ids.claim(call.givenId, call.position, this.#seed);
    this.#started.set(call.position, id);
    const { position, name, argumentsText } = call;
    const start: WireEvent = { type: 'call-start', call: position, id, name };
    return argumentsText === '' ? [start] : [start, { type: 'call-arguments', call: position, text: argumentsText }];
  }

  /** Reports the end of the answer, once: at the first finish reason, or at the end of a stream without one. */
  #finish(finishReason: string | undefined): readonly WireEvent[] {
    if (!this.state.tell()) return [];
    this.#finishReason = finishReason;
    const { calls } = this.#calls;
    const unstarted = calls.filter(({ position }) => !this.#started.has(position));
    const reason = stopOf(finishReason, calls.length > 0, this.#hasRefusal);
    const failure: WireEvent[] =
      reason === 'error' && this.state.error === undefined
        ? [this.state.fail(`The provider ended the answer with an error: '${finishReason ?? ''}'.`, 'failed')]
        : [];
    return [
      ...unstarted.flatMap((call) => this.#startCall(call)),
      ...calls.map(({ position }): WireEvent => ({ type: 'call-end', call: position })),
      ...failure,
      { type: 'stop', reason: this.state.error === undefined ? reason : 'error' },
    ];
  }
}

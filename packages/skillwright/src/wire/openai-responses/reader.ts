import type { StreamReader } from '../../spec/formats/model-format.ts';
import type { AssistantTurn, ToolCall, WireBody, WireEvent, WireFrame } from '../../spec/wire.ts';
import { createTurnReader, type StreamedTurn, TurnState } from '../stream/turn-reader.ts';
import { callSeed } from '../calls/call-ids.ts';
import { isRecord, recordsOf, stringOf } from '../json/json-text.ts';
import {
  callName,
  callOf,
  CLOSING_EVENTS,
  errorMessage,
  eventType,
  isFunctionCall,
  itemReasoning,
  itemText,
  joinParagraphs,
  OPENING_EVENTS,
  PARAGRAPH,
} from './fields.ts';
import { AnswerableCalls, readSeeded } from './response.ts';

/** An item that is being streamed, as far as its events have arrived. */
interface Draft {
  item: WireBody;
  text: string;
  reasoning: string;
  callText: string;
  /** The position among the round's calls; `undefined` for other items. */
  call: number | undefined;
  isDone: boolean;
}

export function createStreamReader(): StreamReader {
  return createTurnReader(new TurnAssembly());
}

/** Assembles a turn from the events of a stream. */
export class TurnAssembly implements StreamedTurn {
  readonly state: TurnState = new TurnState();
  /** The items that are being streamed, by `output_index`. */
  readonly #drafts = new Map<number, Draft>();
  /** The newest response object. The last object of a stream is complete. */
  #response: WireBody | undefined;
  #seed: string | undefined;
  #answerable: AnswerableCalls | undefined;
  #calls = 0;
  /** The last part that received reasoning. Reasoning for another part begins a new paragraph. */
  #reasoningPart: string | undefined;

  /** Adds an event of the provider and returns its meaning. */
  add(data: WireBody, frame: WireFrame): readonly WireEvent[] {
    return this.addEvent(eventType(frame, data), data);
  }

  addEvent(type: string, data: WireBody): readonly WireEvent[] {
    if (OPENING_EVENTS.has(type)) return isRecord(data.response) ? this.#open(data.response) : [];
    if (CLOSING_EVENTS.has(type)) return isRecord(data.response) ? this.#close(data.response) : [];
    if (type === 'error' || (type === '' && data.error !== undefined)) return this.#fail(errorMessage(data));
    const index = data.output_index;
    if (typeof index !== 'number') return [];
    if (isRecord(data.item))
      return type === 'response.output_item.done' ? this.#finish(index, data.item) : this.#begin(index, data.item);
    const delta = stringOf(data.delta);
    return delta === undefined || delta === '' ? [] : this.#delta(type, index, delta, data);
  }

  /** Handles the sentinel at the end of the stream. */
  end(): readonly WireEvent[] {
    if (this.state.isTold) this.state.close();
    return [];
  }

  /** Reports an error once. Later events are still read. */
  #fail(message: string): readonly WireEvent[] {
    return this.state.error === undefined ? [this.state.fail(message, 'failed')] : [];
  }

  turn(): AssistantTurn {
    const drafts = [...this.#drafts.entries()].sort(([first], [second]) => first - second).map(([, draft]) => draft);
    const done = drafts.filter((draft) => draft.isDone).map((draft) => draft.item);
    const output = this.state.isTold ? this.#response?.output : undefined;
    // Some servers omit the items from the last event.
    const isWhole = Array.isArray(output) && output.length >= done.length;
    const read = readSeeded(isWhole ? this.#response : { ...this.#response, output: done }, this.#callSeed());
    const turn = isWhole || drafts.every((draft) => draft.isDone) ? read : { ...read, ...saidSoFar(drafts) };
    if (this.state.error !== undefined) return { ...turn, stop: 'error', error: this.state.error };
    return this.state.isTold ? turn : { ...turn, stop: 'other' };
  }

  #open(response: WireBody): readonly WireEvent[] {
    const isFirst = this.#response === undefined;
    this.#response = response;
    return isFirst ? [{ type: 'start', id: stringOf(response.id), model: stringOf(response.model) }] : [];
  }

  /** Handles the end once, because some servers send two kinds of end. */
  #close(response: WireBody): readonly WireEvent[] {
    if (this.state.isTold) return [];
    const start = this.#open(response);
    this.state.tell();
    const untold = this.#finishAll(recordsOf(response.output));
    const { error, stop, usage } = this.turn();
    return [
      ...start,
      ...untold,
      ...(usage === undefined ? [] : [{ type: 'usage' as const, usage }]),
      ...(error === undefined ? [] : this.#fail(error)),
      { type: 'stop', reason: stop },
    ];
  }

  /** Finishes items for which the server sent no event at their end. */
  #finishAll(items: readonly WireBody[]): readonly WireEvent[] {
    const nothingCame = this.#drafts.size === 0;
    return items.flatMap((item, index) =>
      nothingCame || this.#drafts.get(index)?.item.type === item.type ? this.#finish(index, item) : [],
    );
  }

  #begin(index: number, given: WireBody): readonly WireEvent[] {
    if (this.#drafts.has(index)) return [];
    const item = (this.#answerable ??= new AnswerableCalls(this.#callSeed())).add(given);
    const draft: Draft = { item, text: '', reasoning: '', callText: '', call: undefined, isDone: false };
    this.#drafts.set(index, draft);
    return isFunctionCall(item) && callName(item) !== '' ? this.#startCall(draft, callOf(item)) : [];
  }

  /** The seed for generated ids: the same for all calls of the round. */
  #callSeed(): string {
    return (this.#seed ??= callSeed(stringOf(this.#response?.id)));
  }

  #startCall(draft: Draft, calls: readonly ToolCall[]): readonly WireEvent[] {
    return calls.map(({ id, name }) => {
      draft.call = this.#calls;
      this.#calls += 1;
      return { type: 'call-start', call: draft.call, id, name };
    });
  }

  #delta(type: string, index: number, delta: string, data: WireBody): readonly WireEvent[] {
    const draft = this.#drafts.get(index);
    if (draft === undefined || draft.isDone) return [];
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#text(draft, delta);
      case 'response.reasoning_summary_text.delta':
        return this.#reasoning(draft, delta, `${index} summary ${String(data.summary_index)}`);
      case 'response.reasoning_text.delta':
        return this.#reasoning(draft, delta, `${index} content ${String(data.content_index)}`);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#arguments(draft, delta);
      default:
        return [];
    }
  }

  #text(draft: Draft, text: string): readonly WireEvent[] {
    draft.text += text;
    return text === '' ? [] : [{ type: 'text', text }];
  }

  #reasoning(draft: Draft, text: string, part: string): readonly WireEvent[] {
    if (text === '') return [];
    const isNewPart = this.#reasoningPart !== undefined && this.#reasoningPart !== part;
    this.#reasoningPart = part;
    draft.reasoning += draft.reasoning !== '' && isNewPart ? PARAGRAPH + text : text;
    return [{ type: 'reasoning', text: isNewPart ? PARAGRAPH + text : text }];
  }

  #arguments(draft: Draft, text: string): readonly WireEvent[] {
    draft.callText += text;
    return draft.call === undefined || text === '' ? [] : [{ type: 'call-arguments', call: draft.call, text }];
  }

  /** Finishes an item: reports everything that no event has reported yet. */
  #finish(index: number, item: WireBody): readonly WireEvent[] {
    const events = [...this.#begin(index, item)];
    const draft = this.#drafts.get(index);
    if (draft === undefined || draft.isDone) return events;
    const calls = callOf(
      isFunctionCall(item) ? { ...item, call_id: stringOf(item.call_id) ?? draft.item.call_id } : item,
    );
    if (draft.call === undefined) {
      events.push(...this.#startCall(draft, calls));
      // Arguments that arrived before the name have not been reported yet.
      draft.callText = '';
    }
    events.push(
      ...this.#text(draft, rest(itemText(item), draft.text)),
      ...this.#reasoning(draft, rest(itemReasoning(item), draft.reasoning), this.#partOf(draft, index)),
      ...calls.flatMap((call) => this.#arguments(draft, rest(call.argumentsText, draft.callText))),
      ...(draft.call === undefined ? [] : [{ type: 'call-end' as const, call: draft.call }]),
    );
    draft.item = item;
    draft.isDone = true;
    return events;
  }

  /** The part that receives the rest of an item's reasoning: the last part, or a new part. */
  #partOf(draft: Draft, index: number): string {
    return draft.reasoning === '' || this.#reasoningPart === undefined ? `${index} whole` : this.#reasoningPart;
  }
}

/** The content of a turn while some of its items are incomplete. */
function saidSoFar(drafts: readonly Draft[]): Pick<AssistantTurn, 'text' | 'reasoning' | 'calls'> {
  return {
    text: drafts.map((draft) => (draft.isDone ? itemText(draft.item) : draft.text)).join(''),
    reasoning: joinParagraphs(drafts.map((draft) => (draft.isDone ? itemReasoning(draft.item) : draft.reasoning))),
    calls: drafts.flatMap((draft) =>
      callOf(draft.item).map((call) => (draft.isDone ? call : { ...call, argumentsText: draft.callText })),
    ),
  };
}

/** The part of `whole` that was not reported yet. */
function rest(whole: string, told: string): string {
  return whole.startsWith(told) ? whole.slice(told.length) : '';
}

import type { StreamReader } from '../../spec/formats/model-format.ts';
import type { AssistantTurn, WireBody, WireEvent } from '../../spec/wire.ts';
import { createTurnReader, type StreamedTurn, TurnState } from '../stream/turn-reader.ts';
import { CallIds, callSeed } from '../calls/call-ids.ts';
import { isRecord, isGiven, listOf, textOf } from '../json/json-text.ts';
import { callName, errorMessage, inputAsText, isCall, laterUsage, stopOf, usageOf } from './fields.ts';
import { readMessage } from './response.ts';

/** A block of which only a part may have arrived. */
interface GrowingBlock {
  fields: WireBody;
  /** The input received so far. */
  inputText: string;
  /** The block's position among the calls, if the block is a call. */
  readonly call: number | undefined;
  isOpen: boolean;
}

export function createStreamReader(): StreamReader {
  return createTurnReader(new TurnAssembly());
}

/** Assembles a turn from the events of a stream. */
export class TurnAssembly implements StreamedTurn {
  readonly state: TurnState = new TurnState();
  readonly #blocks: GrowingBlock[] = [];
  readonly #byIndex = new Map<unknown, GrowingBlock>();
  #message: WireBody = {};
  #hasStarted = false;
  #usage: WireBody | undefined;
  readonly #ids = new CallIds('toolu');
  #seed: string | undefined;
  #callCount = 0;

  /** Adds an event of the provider and returns its meaning. */
  add(event: WireBody): readonly WireEvent[] {
    switch (event.type) {
      case 'message_start':
        return this.#start(isRecord(event.message) ? event.message : {});
      case 'content_block_start':
        return isRecord(event.content_block) ? this.#startBlock(event.index, event.content_block) : [];
      case 'content_block_delta':
        return isRecord(event.delta) ? this.#growBlock(this.#byIndex.get(event.index), event.delta) : [];
      case 'content_block_stop':
        return this.#endBlock(this.#byIndex.get(event.index));
      case 'message_delta':
        return this.#change(event);
      case 'message_stop':
        this.state.close();
        return this.#finish();
      case 'error':
        return [this.state.fail(errorMessage(event), 'failed')];
      default:
        return [];
    }
  }

  end(): readonly WireEvent[] {
    return [];
  }

  turn(): AssistantTurn {
    const said = this.#blocks.map(({ fields, inputText, call, isOpen }) => {
      const mayFollow = call !== undefined && isOpen;
      return { block: fields, inputText: inputText === '' && !mayFollow ? undefined : inputText };
    });
    return readMessage({ ...this.#message, usage: this.#usage }, said, this.state.error, this.#callSeed());
  }

  #start(message: WireBody): readonly WireEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    this.#message = message;
    this.#usage = laterUsage(this.#usage, message.usage);
    const id = textOf(message.id);
    return [{ type: 'start', id, model: textOf(message.model) }];
  }

  #startBlock(index: unknown, given: WireBody): readonly WireEvent[] {
    const call = isCall(given) ? this.#callCount : undefined;
    const block = { fields: given, inputText: '', call, isOpen: true };
    this.#blocks.push(block);
    this.#byIndex.set(index, block);
    if (call === undefined) return shown(given, given.type, given);
    this.#callCount += 1;
    return [
      {
        type: 'call-start',
        call,
        id: this.#ids.claim(textOf(given.id), call, this.#callSeed()),
        name: callName(given),
      },
    ];
  }

  /** The seed for generated ids: the same for all calls of the message. */
  #callSeed(): string {
    return (this.#seed ??= callSeed(textOf(this.#message.id)));
  }

  #growBlock(block: GrowingBlock | undefined, delta: WireBody): readonly WireEvent[] {
    if (block === undefined) return [];
    const { call } = block;
    if (delta.type !== 'input_json_delta') {
      block.fields = grown(block.fields, delta);
      return shown(block.fields, typeof delta.type === 'string' ? delta.type.replace(/_delta$/, '') : undefined, delta);
    }
    const text = textOf(delta.partial_json);
    if (text === undefined) return [];
    block.inputText += text;
    return call === undefined ? [] : [{ type: 'call-arguments', call, text }];
  }

  /**
   * Ends a block. If no input arrived in pieces, uses the input from the start of the block, which is usually empty.
   */
  #endBlock(block: GrowingBlock | undefined): readonly WireEvent[] {
    if (block === undefined || !block.isOpen) return [];
    block.isOpen = false;
    const { call, inputText, fields } = block;
    if (call === undefined) return [];
    const text = inputText === '' ? inputAsText(fields.input) : '';
    const end: WireEvent = { type: 'call-end', call };
    return text === '' ? [end] : [{ type: 'call-arguments', call, text }, end];
  }

  #change(event: WireBody): readonly WireEvent[] {
    const events: WireEvent[] = [];
    const delta = isRecord(event.delta) ? event.delta : {};
    this.#message = {
      ...this.#message,
      ...Object.fromEntries(Object.entries(delta).filter(([, now]) => isGiven(now))),
    };
    this.#usage = laterUsage(this.#usage, event.usage);
    const usage = isRecord(event.usage) ? usageOf(this.#usage) : undefined;
    if (usage !== undefined) events.push({ type: 'usage', usage });
    return textOf(delta.stop_reason) === undefined ? events : [...events, ...this.#finish()];
  }

  /** Reports the end of the answer, once. */
  #finish(): readonly WireEvent[] {
    if (!this.state.tell()) return [];
    const reason = stopOf(this.#message.stop_reason, this.#callCount > 0);
    return [{ type: 'stop', reason: this.state.error === undefined ? reason : 'error' }];
  }
}

/** The visible text and thinking of a block that starts or grows. */
function shown(block: WireBody, kind: unknown, given: WireBody): readonly WireEvent[] {
  if (kind === 'text' && block.type === 'text') return piece('text', textOf(given.text));
  return kind === 'thinking' && block.type === 'thinking' ? piece('reasoning', textOf(given.thinking)) : [];
}

function piece(type: 'text' | 'reasoning', text: string | undefined): readonly WireEvent[] {
  return text === undefined ? [] : [{ type, text }];
}

/**
 * Adds a delta to a block. Text and thinking arrive in pieces, citations one by one; signatures and unknown fields
 * arrive whole.
 */
function grown(fields: WireBody, { type, ...delta }: WireBody): WireBody {
  switch (type) {
    case 'text_delta':
      return { ...fields, text: (textOf(fields.text) ?? '') + (textOf(delta.text) ?? '') };
    case 'thinking_delta':
      return { ...fields, thinking: (textOf(fields.thinking) ?? '') + (textOf(delta.thinking) ?? '') };
    case 'citations_delta':
      return { ...fields, citations: [...listOf(fields.citations), delta.citation] };
    default:
      return { ...fields, ...delta };
  }
}

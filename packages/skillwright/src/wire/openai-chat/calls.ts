import type { WireBody } from '../../spec/wire.ts';
import { parseJson, textOf } from '../json/json-text.ts';
import { callBody } from './fields.ts';

/** A call as far as it has come in a stream. */
export interface StreamedCall {
  /** Its place among the calls of the answer. */
  readonly position: number;
  /** The provider's, once it gave one. */
  givenId: string | undefined;
  name: string;
  argumentsText: string;
}

/** How long arguments may be to be tried for completeness. */
const MAX_TRIED = 100_000;

/**
 * Finds the call that a part of one belongs to. Parts should have the call's `index`, and its first part the id; but
 * some servers leave the index out, and some number every call 0.
 */
export class CallTracker {
  readonly calls: StreamedCall[] = [];
  readonly #byIndex = new Map<number, StreamedCall>();

  /** Adds a part to its call. */
  take(part: WireBody): StreamedCall {
    const { name, text } = callBody(part);
    const id = textOf(part.id);
    const call = this.#find(part, { id, name, text }) ?? this.#open();
    if (typeof part.index === 'number') this.#byIndex.set(part.index, call);
    call.givenId ??= id;
    if (name !== undefined && !isNamed(call)) call.name = grownName(call.name, name);
    call.argumentsText += text;
    return call;
  }

  #open(): StreamedCall {
    const call = { position: this.calls.length, givenId: undefined, name: '', argumentsText: '' };
    this.calls.push(call);
    return call;
  }

  #find(part: WireBody, given: CallPart): StreamedCall | undefined {
    const call = this.#candidate(part.index, given.id);
    if (call === undefined || isAnother(call, given)) return undefined;
    // Only servers that number their calls are known to cut names.
    const isCut = given.name !== undefined && given.name !== call.name && call.name !== '';
    return isCut && typeof part.index !== 'number' ? undefined : call;
  }

  #candidate(index: unknown, id: string | undefined): StreamedCall | undefined {
    if (typeof index === 'number') return this.#byIndex.get(index);
    return id === undefined ? this.calls.at(-1) : this.calls.findLast(({ givenId }) => givenId === id);
  }
}

/** The content of a part of a call. */
interface CallPart {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
}

/** Whether the name of a call is all there. It may come in pieces too: only arguments show that it is over. */
export function isNamed(call: StreamedCall): boolean {
  return call.name !== '' && call.argumentsText !== '';
}

/** A name with the next piece of it. Some servers tell the whole name again. */
function grownName(name: string, piece: string): string {
  return piece.startsWith(name) ? piece : name + piece;
}

/** Whether a part begins another call than the one that had its index, or its id, last. */
function isAnother(call: StreamedCall, { id, name, text }: CallPart): boolean {
  if (name === undefined || call.name === '') return false;
  const isSameId = id !== undefined && id === call.givenId;
  if (id !== undefined && call.givenId !== undefined && !isSameId) return true;
  if (!isNamed(call)) return false;
  if (name !== call.name) return true;
  return isComplete(call.argumentsText) && !(isSameId && text === '');
}

function isComplete(text: string): boolean {
  return text.endsWith('}') && text.length <= MAX_TRIED && parseJson(text).ok;
}

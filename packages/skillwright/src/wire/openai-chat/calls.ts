import type { WireBody } from '../../spec/wire.ts';
import { parseJson, textOf } from '../json/json-text.ts';
import { callBody } from './fields.ts';

/** A call, as far as it has arrived in a stream. */
export interface StreamedCall {
  /** The call's position among the answer's calls. */
  readonly position: number;
  /** The provider's id, once it was sent. */
  givenId: string | undefined;
  name: string;
  argumentsText: string;
}

/** The maximum length of arguments that are parsed to check whether they are complete. */
const MAX_TRIED = 100_000;

/**
 * Finds the call that a part belongs to. Every part should have the call's `index`, and its first part the id, but some
 * servers omit the index and some number every call 0.
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
    // Treat a part as the rest of a name only if the server numbers its calls: no other servers are known to split
    // names.
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

/**
 * Whether a call's name is complete. A name may also arrive in pieces, and only the first arguments show that it has
 * ended.
 */
export function isNamed(call: StreamedCall): boolean {
  return call.name !== '' && call.argumentsText !== '';
}

/** A name with its next piece added. Some servers repeat the whole name instead. */
function grownName(name: string, piece: string): string {
  return piece.startsWith(name) ? piece : name + piece;
}

/** Whether a part starts a new call instead of continuing the last call with its index or id. */
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

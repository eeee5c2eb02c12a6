import type { WireBody } from '../../spec/wire.ts';
import { isRecord, jsonText, NESTED_TOO_DEEP, parseJson } from '../json/json-text.ts';
import { itemsOf } from './fields.ts';

type Step = string | number;
type Holder = Record<Step, unknown>;

/** One step of a path: a name, a quoted name, or an index. */
const STEP = /\.([\p{L}_$][\p{L}\p{N}_$]*)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/guy;

/** The arguments of one call. They arrive whole or, if the client asked for it, in pieces that each have a path. */
export class CallArguments {
  #whole: unknown;
  #args: WireBody = {};
  readonly #pieces: unknown[] = [];
  /** The path of the text that the next piece continues. */
  #open: string | undefined;
  #isReadable = true;

  add(call: WireBody): void {
    if (call.args !== undefined && call.args !== null) {
      if (isRecord(call.args)) this.#begin(call.args, call.partialArgs !== undefined || call.willContinue === true);
      else this.#whole = call.args;
    }
    for (const piece of itemsOf(call.partialArgs)) {
      this.#pieces.push(piece);
      this.#isReadable &&= isRecord(piece) && this.#place(piece);
    }
  }

  /** The arguments, to send back to the provider. */
  value(): unknown {
    return this.#whole ?? this.#args;
  }

  /**
   * The arguments as text. If a piece does not fit, the text is a list of all pieces; if the call never ended, the text
   * lacks its last bracket. Neither can pass for valid arguments.
   */
  text(isComplete: boolean): string {
    if (this.#whole !== undefined)
      return typeof this.#whole === 'string' ? this.#whole : (jsonText(this.#whole) ?? NESTED_TOO_DEEP);
    const text = jsonText(this.#isReadable ? this.#args : this.#pieces) ?? NESTED_TOO_DEEP;
    return isComplete ? text : text.slice(0, -1);
  }

  /** Starts with the given arguments. Copies them if pieces follow, because the caller owns the original. */
  #begin(args: WireBody, isInPieces: boolean): void {
    const copy = isInPieces ? parseJson(jsonText(args) ?? '') : { ok: true as const, value: args };
    this.#isReadable &&= copy.ok;
    this.#args = copy.ok ? { ...this.#args, ...(copy.value as WireBody) } : this.#args;
  }

  #place(piece: WireBody): boolean {
    const path = typeof piece.jsonPath === 'string' ? piece.jsonPath : '';
    const steps = stepsOf(path);
    const value = valueOf(piece);
    const last = steps?.at(-1);
    if (steps === undefined || last === undefined || value === undefined) return false;
    const holder = holderOf(this.#args, steps);
    if (holder === undefined || !fits(holder, last)) return false;
    const known = this.#open === path && Object.hasOwn(holder, last) ? holder[last] : undefined;
    put(holder, last, typeof known === 'string' && typeof value === 'string' ? known + value : value);
    this.#open = piece.willContinue === true ? path : undefined;
    return true;
  }
}

function stepsOf(path: string): readonly Step[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const matches = [...path.slice(1).matchAll(STEP)];
  const length = matches.reduce((sum, [text]) => sum + text.length, 1);
  if (length !== path.length) return undefined;
  return matches.map(([, name, place, single, double]) =>
    place === undefined ? (name ?? (single ?? double ?? '').replaceAll(/\\(.)/gu, '$1')) : Number(place),
  );
}

function valueOf(piece: WireBody): unknown {
  for (const key of ['stringValue', 'numberValue', 'boolValue']) if (piece[key] !== undefined) return piece[key];
  return piece.nullValue === undefined ? undefined : null;
}

/** The container of the value at the end of these steps; creates missing containers. */
function holderOf(args: WireBody, steps: readonly Step[]): Holder | undefined {
  let holder = args as Holder;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    if (!fits(holder, step)) return undefined;
    if (!Object.hasOwn(holder, step)) put(holder, step, typeof steps[index + 1] === 'number' ? [] : {});
    const next = holder[step];
    if (typeof next !== 'object' || next === null) return undefined;
    holder = next as Holder;
  }
  return holder;
}

/** Lists grow only by one item: a distant index could make them arbitrarily long. */
function fits(holder: Holder, step: Step): boolean {
  return Array.isArray(holder) ? typeof step === 'number' && step <= holder.length : typeof step === 'string';
}

/** Sets a value. Treats `__proto__` as an ordinary key. */
function put(holder: Holder, step: Step, value: unknown): void {
  Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
}

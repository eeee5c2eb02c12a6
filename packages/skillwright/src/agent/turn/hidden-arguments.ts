import type { WireEvent } from '../../spec/wire.ts';

/** Measures the arguments of calls that are run here, as they come. Those of a client's own calls are its business. */
export class HiddenArguments {
  readonly #isOurs: (tool: string) => boolean;
  readonly #lengths = new Map<number, number>();
  #longest = 0;

  constructor(isOurs: (tool: string) => boolean) {
    this.#isOurs = isOurs;
  }

  /** Characters of the longest so far. */
  get longest(): number {
    return this.#longest;
  }

  add(event: WireEvent): void {
    if (event.type === 'call-start' && this.#isOurs(event.name)) this.#lengths.set(event.call, 0);
    if (event.type !== 'call-arguments') return;
    const before = this.#lengths.get(event.call);
    if (before === undefined) return;
    this.#lengths.set(event.call, before + event.text.length);
    this.#longest = Math.max(this.#longest, before + event.text.length);
  }
}

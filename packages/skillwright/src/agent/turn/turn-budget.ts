import type { ToolCall, ToolResult, Usage, WireEvent } from '../../spec/wire.ts';
import { canonicalArguments } from '../../wire/json/canonical-json.ts';
import { addUsage } from '../../wire/usage.ts';
import type { SpentBound, TurnBounds } from './turn.ts';

/** The tokens that an agent may use, together with the agents it started. */
export interface TokenAllowance {
  /** The tokens that are left. Never below 0. */
  readonly left: number;
  add(usage: Usage): void;
}

/** Tracks the usage of a turn. */
export interface TurnBudget {
  readonly usage: Usage | undefined;
  readonly lastUsage: Usage | undefined;
  /** The first limit that was reached. */
  readonly spent: SpentBound | undefined;
  spend(bound: SpentBound): void;
  /** Adds usage from outside the turn's own rounds. */
  bill(usage: Usage | undefined): void;
  /** Counts a round that was answered or cut off. */
  addRound(usage: Usage | undefined): void;
  /** Counts the calls of a round after they were run. */
  addResults(calls: readonly ToolCall[], results: readonly ToolResult[]): void;
  /**
   * Counts a pause: the provider wants the same request again, with the output so far. Pauses and rounds of calls have
   * the same limit.
   */
  addPause(): void;
  /** Why a call is not run, in words for the model; `undefined` if it is run. */
  refusal(call: ToolCall, place: number): string | undefined;
}

const SPENT: Readonly<Record<SpentBound, string>> = {
  'max-turns': 'The budget for tool calls is used up',
  'max-tokens': 'The budget for tokens is used up',
  'max-time': 'The time for tool calls is used up',
  'repeated-failures': 'The same call has failed too often',
};

export function createTurnBudget(bounds: TurnBounds): TurnBudget {
  const failures = new Map<string, number>();
  let usage: Usage | undefined;
  let lastUsage: Usage | undefined;
  let spent: SpentBound | undefined;
  let rounds = 0;
  let pauses = 0;
  const spend = (bound: SpentBound): void => {
    spent ??= bound;
  };
  const bill = (more: Usage | undefined): void => {
    usage = addUsage(usage, more);
    if ((usage?.input ?? 0) + (usage?.output ?? 0) >= bounds.maxTokens) spend('max-tokens');
  };
  return {
    get usage() {
      return usage;
    },
    get lastUsage() {
      return lastUsage;
    },
    get spent() {
      return spent;
    },
    spend,
    bill,
    addRound(roundUsage) {
      lastUsage = roundUsage ?? lastUsage;
      bill(roundUsage);
    },
    addResults(calls, results) {
      rounds += 1;
      const failed = new Set(results.filter(({ isError }) => isError).map(({ callId }) => callId));
      // The model made the calls of one round without seeing each other's results, so identical calls count once.
      const byKey = Map.groupBy(calls, keyOf);
      for (const [key, same] of byKey) {
        const count = same.every(({ id }) => failed.has(id)) ? (failures.get(key) ?? 0) + 1 : 0;
        failures.set(key, count);
        if (count >= bounds.maxRepeats) spend('repeated-failures');
      }
      if (rounds >= bounds.maxRounds) spend('max-turns');
    },
    addPause() {
      pauses += 1;
      if (pauses > bounds.maxRounds) spend('max-turns');
    },
    refusal(call, place) {
      if (spent !== undefined) return `${SPENT[spent]}, so this call did not run. Answer without calling tools.`;
      if (place >= bounds.maxCalls)
        return `Only the first ${bounds.maxCalls} calls of a turn run, so this one did not. Make fewer calls at a time.`;
      if (call.argumentsText.length > bounds.maxArguments)
        return `The arguments of a call may have ${bounds.maxArguments} characters, so this one did not run. Send less at a time.`;
      return undefined;
    },
  };
}

/** A key that is the same for the same call, however its arguments are formatted. */
function keyOf({ name, argumentsText }: ToolCall): string {
  return `${name}\n${canonicalArguments(argumentsText)}`;
}

export function createTokenAllowance(maxTokens: number = Number.POSITIVE_INFINITY): TokenAllowance {
  let used = 0;
  return {
    get left() {
      return Math.max(0, maxTokens - used);
    },
    add({ input, output }) {
      used += input + output;
    },
  };
}

/** Measures the arguments of calls that run here, while they stream in. The client's own calls are not measured. */
export class HiddenArguments {
  readonly #isOurs: (tool: string) => boolean;
  readonly #lengths = new Map<number, number>();
  #longest = 0;

  constructor(isOurs: (tool: string) => boolean) {
    this.#isOurs = isOurs;
  }

  /** The length of the longest arguments so far. */
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

import type { Usage } from '../../spec/wire.ts';

/** The tokens that an agent may use, together with the agents that work for it. */
export interface TokenAllowance {
  /** Never below 0. */
  readonly left: number;
  add(usage: Usage): void;
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

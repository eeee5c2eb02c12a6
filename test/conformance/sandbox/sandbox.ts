import { afterAll, beforeAll, describe } from 'vitest';
import type { Sandbox } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { createBench, type TierTraits } from './sandbox-setup.ts';
import { describeBounds } from './bounds-rows.ts';
import { describeEnding } from './ending-rows.ts';
import { describeHidden } from './hidden-rows.ts';
import { describeHiding } from './hiding-rows.ts';
import { describeIsolation } from './isolation-rows.ts';
import { describeRunning } from './running-rows.ts';

/**
 * Rows for every tier. A row about a promise runs if the tier makes it; otherwise it is skipped, and the summary at the end gives
 * the reason.
 */
export function describeSandbox(name: string, sandbox: Sandbox, traits?: TierTraits): void {
  describe(`the ${name} tier`, () => {
    const bench = createBench(name, sandbox, traits);
    beforeAll(() => bench.prepare());
    afterAll(() => bench.finish());
    describeRunning(bench);
    describeEnding(bench);
    describeHidden(bench);
    describeHiding(bench);
    describeIsolation(bench);
    describeBounds(bench);
  });
}

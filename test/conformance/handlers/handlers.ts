import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxCapabilities } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { describeHandlerAnswers } from './answers.ts';
import type { HandlerRow } from './handler-setup.ts';
import { describeHandlerMisbehaviour } from './misbehaviour.ts';
import { describeHandlerPooling } from './pooling.ts';

/** Rows about handlers for every tier. Skipped rows give a reason, and every tier prints how many rows passed. */
export function describeHandlers(name: string, sandbox: Sandbox): void {
  describe(`handlers in the ${name} tier`, () => {
    const tally = { passed: 0, skipped: 0, rows: 0 };
    let capabilities: SandboxCapabilities | undefined;
    let unavailable = '';

    beforeAll(async () => {
      const probe = await sandbox.probe();
      if (probe.available) ({ capabilities } = probe);
      else unavailable = `the tier is not available here: ${probe.reason} ${probe.remedy}`;
    });
    afterAll(() => {
      console.info(`handlers, ${name} tier: ${tally.passed} of ${tally.rows} rows passed, ${tally.skipped} skipped`);
    });

    const row: HandlerRow = (what, body, needs) => {
      tally.rows += 1;
      it(`the pool ${what}`, async ({ skip }) => {
        const reason =
          capabilities === undefined
            ? unavailable
            : needs !== undefined && !capabilities[needs]
              ? `the ${name} tier does not promise '${needs}'`
              : undefined;
        if (reason !== undefined) {
          tally.skipped += 1;
          console.warn(`SKIPPED: ${what}: ${reason}`);
          skip(reason);
        }
        expect.hasAssertions();
        await body();
        tally.passed += 1;
      });
    };

    describeHandlerAnswers(row, sandbox);
    describeHandlerMisbehaviour(row, sandbox);
    describeHandlerPooling(row, sandbox);
  });
}

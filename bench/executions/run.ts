import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../packages/gateway/src/store/open-store.ts';
import { measureBlocking } from './blocking.ts';
import { fillExecutions, listScenarios, registryScenarios, type Scenario } from './scenarios.ts';

// `npm run bench:executions [-- rows]`: measures how long lists of executions and reads of the registry take, and how long
// hostile bodies and schemas block the event loop. Fails if a limit is exceeded.
const ROWS = 100_000;
const ROUNDS = 50;

/** The median of many runs, in the scenario's unit; the first runs warm up. */
async function measure({ run, unit }: Scenario): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS + 5; round += 1) {
    const start = performance.now();
    await run();
    if (round >= 5) times.push(performance.now() - start);
  }
  const middle = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  return unit === 'ms' ? middle : middle * 1_000;
}

const rows = Number(process.argv[2] ?? ROWS);
const directory = mkdtempSync(join(tmpdir(), 'skillwright-bench-'));
const store = await openStore(directory, { now: Date.now });
try {
  await fillExecutions(store, rows);
  console.log(`${rows} executions; the middle of ${ROUNDS} rounds.\n`);
  for (const scenario of [...listScenarios(store), ...(await registryScenarios(store))]) {
    const time = await measure(scenario);
    const verdict = time <= scenario.limit ? '' : '  TOO SLOW';
    if (verdict !== '') process.exitCode = 1;
    const shown = `${time.toFixed(2).padStart(9)} ${scenario.unit}`;
    console.log(`${scenario.name.padEnd(42)}${shown}  (at most ${scenario.limit})${verdict}`);
  }
  console.log('\nHow long the event loop is blocked.\n');
  for (const { name, unit, ratio, limit } of await measureBlocking()) {
    const verdict = ratio <= limit ? '' : '  TOO LONG';
    if (verdict !== '') process.exitCode = 1;
    console.log(`${name.padEnd(48)}${ratio.toFixed(2).padStart(7)} × ${unit}  (at most ${limit})${verdict}`);
  }
} finally {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
}

import { join } from 'node:path';
import { countBare } from '../bare-spawn.ts';
import { FLOOD_SCRIPT, SKILL } from '../bench-skill.ts';
import { notMeasured } from '../interleave.ts';
import { printedBy, type MeasuredManager, type Tier } from '../measured-manager.ts';
import type { Flood, FloodRow, MemoryReading, Outcome } from '../results.ts';
import type { Scenario } from '../scenario.ts';

const BYTES = 1_000_000_000;
const LOOK_EVERY_MS = 20;
const TIMEOUT_MS = 60_000;
const TIERS: readonly Tier[] = ['process', 'bubblewrap'];

/**
 * Runs a script that prints a gigabyte; returns whether the result was a truncated success. `null` for contenders that do not
 * truncate.
 */
type Print = (bytes: number) => Promise<boolean | null>;

/** Memory of this process before, during and after a script prints a gigabyte. */
export async function measureMemory(scenario: Scenario): Promise<FloodRow[]> {
  scenario.expectSteps(1 + TIERS.length);
  const { createManager, skillsDir, skillDir, step } = scenario;
  const managers = TIERS.map((tier) => ({ tier, manager: createManager(skillsDir, { sandbox: tier }) }));
  const rows: FloodRow[] = [];
  try {
    for (const { tier, manager } of managers) {
      step(`a gigabyte, ${tier}`);
      rows.push({ id: tier, label: `skillwright, ${tier}`, flood: await settle((bytes) => print(manager, bytes)) });
    }
    step('a gigabyte, dropped');
    rows.push({ id: 'spawn', label: 'bare spawn, dropped', flood: await settle((bytes) => drop(skillDir, bytes)) });
  } finally {
    await Promise.all(managers.map(({ manager }) => manager.close()));
  }
  return rows;
}

async function drop(skillDir: string, bytes: number): Promise<null> {
  await countBare('bash', [join(skillDir, FLOOD_SCRIPT), String(bytes)], skillDir);
  return null;
}

async function print(manager: MeasuredManager, bytes: number): Promise<boolean> {
  const result = await manager.runScript(SKILL, FLOOD_SCRIPT, [String(bytes)], { timeout: TIMEOUT_MS });
  printedBy(result);
  return result.truncated?.stdout === true;
}

async function settle(work: Print): Promise<Outcome<Flood>> {
  try {
    // Runs once before the readings: the first gigabyte grows buffers and compiled code to their final size.
    await work(BYTES);
    return { status: 'measured', value: await measureFlood(work) };
  } catch (error) {
    return notMeasured(error);
  }
}

async function measureFlood(work: Print): Promise<Flood> {
  const before = readSettled();
  let peak = before;
  const timer = setInterval(() => {
    const { rssMb, heapMb } = readMemory();
    peak = { rssMb: Math.max(peak.rssMb, rssMb), heapMb: Math.max(peak.heapMb, heapMb) };
  }, LOOK_EVERY_MS);
  const started = performance.now();
  const isTruncatedSuccess = await work(BYTES).finally(() => clearInterval(timer));
  const wallMs = performance.now() - started;
  return { bytes: BYTES, wallMs, isTruncatedSuccess, before, after: readSettled(), peak };
}

function readSettled(): MemoryReading {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('memory is measured with --expose-gc');
  gc();
  gc();
  return readMemory();
}

function readMemory(): MemoryReading {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssMb: rss / 2 ** 20, heapMb: (heapUsed + external) / 2 ** 20 };
}

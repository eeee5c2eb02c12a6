import { join } from 'node:path';
import { startBareWorker, type BareWorker } from '../bare-worker.ts';
import { writeSkill } from '../bench-skill.ts';
import { timed, toOutcome, type Sample } from '../interleave.ts';
import { printedBy, type MeasuredManager, type Tier } from '../measured-manager.ts';
import type { HandlerRow } from '../results.ts';
import type { Scenario } from '../scenario.ts';
import { interpreterOf } from './scripts.ts';

/** Fresh managers of each kind, and warm calls of each manager; the first ones warm up and are not timed. */
const ROUNDS = 5;
const WARM_CALLS = 80;
const WARM_UP_CALLS = 20;
/** The number of files in a skill with many files. */
const REFERENCES = 200;
/** The time limit for all rounds: a slow or busy machine does fewer rounds. */
const BUDGET_MS = 30_000;

type Language = HandlerRow['language'];

interface Series {
  readonly id: string;
  readonly label: string;
  readonly language: Language;
  readonly open: (skillsDir: string) => Promise<Callee>;
  readonly cold: Sample[];
  readonly warm: Sample[];
  callee?: Callee | undefined;
  end?: unknown;
}

interface Callee {
  call(input: { a: number; b: number }): Promise<unknown>;
  close(): Promise<void>;
}

/** `callTool` of handlers in each tier, beside a bare worker that answers lines of JSON. */
export async function measureHandlers(scenario: Scenario): Promise<HandlerRow[]> {
  scenario.expectSteps(ROUNDS * 2);
  const series = [...(await bareSeries(scenario)), ...tierSeries(scenario)];
  const started = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0 && performance.now() - started > BUDGET_MS) break;
    // A separate directory, so that nothing is loaded already.
    const skillsDir = join(scenario.scratchDir, `round-${round}`);
    writeSkill(skillsDir);
    scenario.step('first calls');
    for (const record of series) await attempt(record, () => openOnce(record, skillsDir));
    scenario.step('warm calls');
    for (let call = -WARM_UP_CALLS; call < WARM_CALLS; call += 1)
      for (const record of series) await attempt(record, () => callOnce(record, call));
    for (const record of series) {
      await record.callee?.close();
      record.callee = undefined;
    }
  }
  return series.map(({ id, label, language, cold, warm, end }) => ({
    id,
    label,
    language,
    cold: toOutcome(cold, end),
    warm: toOutcome(warm, end),
  }));
}

async function attempt(record: Series, work: () => Promise<void>): Promise<void> {
  if (record.end !== undefined) return;
  try {
    await work();
  } catch (error) {
    record.end = error;
  }
}

async function openOnce(record: Series, skillsDir: string): Promise<void> {
  const callee = await record.open(skillsDir);
  record.callee = callee;
  record.cold.push(await timed(() => addOnce(callee, 1)));
}

async function callOnce({ callee, warm }: Series, call: number): Promise<void> {
  if (callee === undefined) return;
  const sample = await timed(() => addOnce(callee, call));
  if (call >= 0) warm.push(sample);
}

async function addOnce(callee: Callee, a: number): Promise<void> {
  const answer = (await callee.call({ a, b: 1 })) as { sum?: unknown } | null;
  if (answer?.sum !== a + 1) throw new Error(`the handler answered ${JSON.stringify(answer)}`);
}

/** Uses the same interpreters as the library. */
async function bareSeries({ createManager, skillsDir }: Scenario): Promise<Series[]> {
  const manager = createManager(skillsDir, { sandbox: 'process' });
  const found = new Map<Language, string | Error>();
  for (const [language, script] of [['javascript', 'node'] as const, ['python', 'python'] as const])
    found.set(language, await interpreterOf(manager, script).catch((error: unknown) => error as Error));
  await manager.close();
  return [...found].map(([language, program]) => ({
    id: 'bare',
    label: 'bare worker',
    language,
    open: async (): Promise<BareWorker> => {
      if (program instanceof Error) throw program;
      return startBareWorker(language, program);
    },
    cold: [],
    warm: [],
  }));
}

function tierSeries({ createManager }: Scenario): Series[] {
  const tiers: [Tier, Language][] = [
    ['inprocess', 'javascript'],
    ['process', 'javascript'],
    ['bubblewrap', 'javascript'],
    ['process', 'python'],
    ['bubblewrap', 'python'],
  ];
  const series = tiers.map(([tier, language]): Series => {
    const open = async (skillsDir: string): Promise<Callee> =>
      toCallee(createManager(skillsDir, { sandbox: tier }), `add_${language}`);
    return { id: tier, label: `skillwright, ${tier}`, language, open, cold: [], warm: [] };
  });
  const open = async (skillsDir: string): Promise<Callee> => {
    const largeDir = `${skillsDir}-large`;
    writeSkill(largeDir, REFERENCES);
    return toCallee(createManager(largeDir, { sandbox: 'process' }), 'add_javascript');
  };
  const label = `skillwright, process, ${REFERENCES} more files`;
  return [{ id: 'large', label, language: 'javascript', open, cold: [], warm: [] }, ...series];
}

function toCallee(manager: MeasuredManager, tool: string): Callee {
  return {
    async call(input) {
      const { value, isError, execution } = await manager.callTool(tool, input);
      if (isError) printedBy(execution);
      return value;
    },
    close: () => manager.close(),
  };
}

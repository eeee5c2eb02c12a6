import { formatTargets } from '../target.ts';
import type {
  Crowd,
  EndingRow,
  FloodRow,
  HandlerRow,
  Measurements,
  Outcome,
  Results,
  ScenarioName,
  ScriptGroup,
  Timing,
} from './results.ts';
import { formatTable } from '../table.ts';

const TITLES: Readonly<Record<ScenarioName, string>> = {
  scripts: 'Scripts, from the call to the result',
  bubblewrap: 'Scripts in bubblewrap',
  handlers: 'Handlers',
  concurrency: 'Calls at once',
  memory: 'Memory of the calling process, a script printing 1 GB',
  timeouts: 'Timeouts',
};

const FORMAT: { readonly [Name in ScenarioName]: (value: Measurements[Name]) => string } = {
  scripts: formatGroups,
  bubblewrap: formatGroups,
  handlers: formatHandlers,
  concurrency: formatCrowd,
  memory: formatFloods,
  timeouts: formatEndings,
};

/** Formats the results for people. */
export function formatReport(results: Results): string {
  return [
    `Running, ${results.node}, ${results.machine}, load ${results.load.toFixed(1)}`,
    'Times in milliseconds. The contenders of a table took turns. Host CPU is that of the calling process, without the programs it starts.',
    ...sections(results),
    `numbers\n\n${formatTargets(results.targets)}`,
    lastLine(results),
    '',
  ].join('\n\n');
}

function lastLine({ seconds, repeated, load, processors }: Results): string {
  const again = repeated.length === 0 ? '' : ` Missed at first and measured again: ${repeated.join(', ')}.`;
  const busy =
    load <= processors ? '' : ' Other programs kept the processors busy, so times are longer than they would be.';
  return `${seconds.toFixed(0)} seconds.${again}${busy}`;
}

function sections({ scenarios }: Results): string[] {
  const names = Object.keys(scenarios) as ScenarioName[];
  return names.map((name) => `${TITLES[name]}\n\n${formatScenario(name, scenarios[name])}`);
}

function formatScenario<Name extends ScenarioName>(
  name: Name,
  outcome: Outcome<Measurements[Name]> | undefined,
): string {
  if (outcome === undefined) return 'not reached';
  return outcome.status === 'measured' ? FORMAT[name](outcome.value) : reasonOf(outcome);
}

function formatGroups(groups: readonly ScriptGroup[]): string {
  const headings = ['script', '', 'least', 'median', 'p95', '× spawn', 'over spawn', 'host CPU', 'runs', ''];
  const rows = groups.flatMap(({ script, rows: ways }) => {
    const spawn = ways.find((row) => row.id === 'spawn')?.timing;
    return ways.map(({ label, timing }) => {
      if (timing.status !== 'measured') return [script, label, '', '', '', '', '', '', '', reasonOf(timing)];
      const cells = timingCells(timing.value);
      return [script, label, ...cells.slice(0, 3), ...overSpawn(timing.value, spawn), ...cells.slice(3), ''];
    });
  });
  return formatTable(headings, rows);
}

function overSpawn({ medianMs }: Timing, spawn: Outcome<Timing> | undefined): [string, string] {
  if (spawn?.status !== 'measured') return ['', ''];
  const moreMs = medianMs - spawn.value.medianMs;
  return [(medianMs / spawn.value.medianMs).toFixed(3), `${moreMs < 0 ? '–' : '+'}${Math.abs(moreMs).toFixed(2)}`];
}

function formatHandlers(rows: readonly HandlerRow[]): string {
  const headings = ['handler', '', 'warm least', 'median', 'p95', 'host CPU', 'calls', 'first call', ''];
  const cells = rows.map(({ language, label, warm, cold }) => {
    if (warm.status !== 'measured') return [language, label, '', '', '', '', '', '', reasonOf(warm)];
    const first = cold.status === 'measured' ? cold.value.medianMs.toFixed(1) : '';
    return [language, label, ...timingCells(warm.value), first, ''];
  });
  return formatTable(headings, cells);
}

function timingCells({ leastMs, medianMs, p95Ms, hostCpuMs, count }: Timing): string[] {
  return [leastMs, medianMs, p95Ms, hostCpuMs].map((value) => value.toFixed(value < 10 ? 3 : 2)).concat(String(count));
}

function formatCrowd({ calls, answered, wallMs, maxWorkers, workersSeen }: Crowd): string {
  const workers = workersSeen === null ? 'not counted' : `${workersSeen} of at most ${maxWorkers}`;
  const each = (wallMs / calls).toFixed(3);
  return `${answered} of ${calls} answered in ${wallMs.toFixed(0)} ms, ${each} ms each; worker processes: ${workers}`;
}

function formatFloods(rows: readonly FloodRow[]): string {
  const headings = ['', 'wall', 'RSS MB before', 'peak', 'after', 'heap MB before', 'peak', 'after', ''];
  const cells = rows.map(({ label, flood }) => {
    if (flood.status !== 'measured') return [label, '', '', '', '', '', '', '', reasonOf(flood)];
    const { before, peak, after, wallMs, isTruncatedSuccess } = flood.value;
    const megabytes = [before.rssMb, peak.rssMb, after.rssMb, before.heapMb, peak.heapMb, after.heapMb];
    const note = isTruncatedSuccess === null ? '' : isTruncatedSuccess ? 'truncated success' : 'not truncated';
    return [label, wallMs.toFixed(0), ...megabytes.map((value) => value.toFixed(1)), note];
  });
  return formatTable(headings, cells);
}

function formatEndings(rows: readonly EndingRow[]): string {
  const headings = [
    '',
    'runs',
    'timed out',
    'with strays',
    'left at once',
    'survivors',
    'overrun median',
    'overrun most',
    '',
  ];
  const cells = rows.map(({ label, ending }) => {
    if (ending.status !== 'measured') return [label, '', '', '', '', '', '', '', reasonOf(ending)];
    const { runs, timedOut, strays, leftAtOnce, survivors, overrun } = ending.value;
    const counts = [runs, timedOut, strays, leftAtOnce, survivors].map(String);
    return [label, ...counts, overrun.medianMs.toFixed(1), overrun.maxMs.toFixed(1), ''];
  });
  return formatTable(headings, cells);
}

function reasonOf(outcome: { readonly status: 'absent' | 'failed'; readonly reason: string }): string {
  return `${outcome.status === 'absent' ? 'skipped' : 'failed'}: ${outcome.reason}`;
}

import type { Target } from '../target.ts';
import type {
  Crowd,
  EndingRow,
  FloodRow,
  HandlerRow,
  Outcome,
  ScenarioOutcomes,
  ScriptGroup,
  ScriptName,
  Timing,
} from './results.ts';

type Verdict = [measured: string, pass: boolean];

const MEMORY_MB = 8;
/** The most that a PID namespace may add to the cost of a run. */
const NAMESPACE_MS = 3;

/** Compares the results with the design's numbers. A failed scenario misses the targets it was measured for. */
export function checkTargets(results: ScenarioOutcomes): Target[] {
  const { scripts, bubblewrap, handlers, concurrency, memory, timeouts } = results;
  return [
    ...(['node', 'python'] as const).map((script) => atMostTimes(scripts, script, 1.15)),
    atMostMore(scripts, 'shell', 'process', 2),
    ...(['true', 'node'] as const).map((script) => atMostMore(bubblewrap, script, 'bubblewrap', 15)),
    ...(['process', 'bubblewrap'] as const).flatMap((tier) => [
      warmCall(handlers, tier, 'javascript', 1),
      warmCall(handlers, tier, 'python', 2),
    ]),
    ...crowdTargets(concurrency),
    ...(['process', 'bubblewrap'] as const).flatMap((tier) => floodTargets(memory, tier)),
    ...endingTargets(timeouts),
  ];
}

/** The results of the bare spawn and of one tier for one script. */
function pairOf(
  groups: Outcome<readonly ScriptGroup[]>,
  script: ScriptName,
  tier: string,
): Outcome<{ spawn: Timing; ours: Timing }> {
  if (groups.status !== 'measured') return groups;
  const rows = groupOf(groups, script)?.rows ?? [];
  const [ours, spawn] = [tier, 'spawn'].map((id) => rows.find((row) => row.id === id)?.timing);
  if (ours !== undefined && ours.status !== 'measured') return ours;
  if (spawn !== undefined && spawn.status !== 'measured') return spawn;
  if (ours === undefined || spawn === undefined) return { status: 'failed', reason: 'it is not in the results' };
  return { status: 'measured', value: { spawn: spawn.value, ours: ours.value } };
}

function groupOf(groups: Outcome<readonly ScriptGroup[]> | undefined, script: ScriptName): ScriptGroup | undefined {
  return groups?.status === 'measured' ? groups.value.find((group) => group.script === script) : undefined;
}

function extraMs(groups: Outcome<readonly ScriptGroup[]> | undefined, script: ScriptName): number {
  return groupOf(groups, script)?.inPidNamespace === true ? NAMESPACE_MS : 0;
}

function atMostTimes(groups: Outcome<readonly ScriptGroup[]> | undefined, script: ScriptName, limit: number): Target {
  const pair = groups === undefined ? undefined : pairOf(groups, script, 'process');
  const extra = extraMs(groups, script);
  const bound = `≤ ${limit} ×${extra === 0 ? '' : ` + ${extra} ms`}`;
  return judge(`${script} script over a bare spawn`, bound, pair, ({ spawn, ours }) => {
    const ratio = ours.medianMs / spawn.medianMs;
    return [`${ratio.toFixed(3)} ×`, (ours.medianMs - extra) / spawn.medianMs <= limit];
  });
}

function atMostMore(
  groups: Outcome<readonly ScriptGroup[]> | undefined,
  script: ScriptName,
  tier: 'process' | 'bubblewrap',
  limitMs: number,
): Target {
  const pair = groups === undefined ? undefined : pairOf(groups, script, tier);
  const where = tier === 'process' ? '' : ' in bubblewrap';
  const bound = limitMs + extraMs(groups, script);
  return judge(`${script} script${where} over a bare spawn`, `≤ + ${bound} ms`, pair, ({ spawn, ours }) => {
    const moreMs = ours.medianMs - spawn.medianMs;
    return [`${moreMs < 0 ? '–' : '+'} ${Math.abs(moreMs).toFixed(2)} ms`, moreMs <= bound];
  });
}

function warmCall(
  rows: Outcome<readonly HandlerRow[]> | undefined,
  tier: string,
  language: HandlerRow['language'],
  limitMs: number,
): Target {
  const warm = pick(
    rows,
    (row) => row.id === tier && row.language === language,
    (row) => row.warm,
  );
  const name = `warm ${language} handler, ${tier}, median`;
  return judge(name, `≤ ${limitMs} ms`, warm, ({ medianMs }) => [`${medianMs.toFixed(3)} ms`, medianMs <= limitMs]);
}

function crowdTargets(crowd: Outcome<Crowd> | undefined): Target[] {
  return [
    judge('1,000 calls at once, answered', 'all', crowd, ({ calls, answered }) => [
      `${answered} of ${calls}`,
      answered === calls,
    ]),
    judge('their worker processes, at most', 'the bound', crowd, ({ workersSeen, maxWorkers }) =>
      workersSeen === null
        ? 'processes can only be counted on Linux'
        : [`${workersSeen} of ${maxWorkers}`, workersSeen > 0 && workersSeen <= maxWorkers],
    ),
  ];
}

function floodTargets(rows: Outcome<readonly FloodRow[]> | undefined, tier: string): Target[] {
  const flood = pick(
    rows,
    (row) => row.id === tier,
    (row) => row.flood,
  );
  const limit = `± ${MEMORY_MB} MB`;
  const flat = (before: number, after: number): Verdict => {
    const moreMb = after - before;
    return [`${moreMb < 0 ? '–' : '+'} ${Math.abs(moreMb).toFixed(1)} MB`, Math.abs(moreMb) <= MEMORY_MB];
  };
  return [
    judge(`1 GB printed, ${tier}`, 'truncated success', flood, ({ isTruncatedSuccess }) => [
      isTruncatedSuccess === true ? 'truncated success' : 'not truncated',
      isTruncatedSuccess === true,
    ]),
    judge(`1 GB printed, ${tier}, RSS after`, limit, flood, ({ before, after }) => flat(before.rssMb, after.rssMb)),
    judge(`1 GB printed, ${tier}, heap after`, limit, flood, ({ before, after }) => flat(before.heapMb, after.heapMb)),
  ];
}

function endingTargets(rows: Outcome<readonly EndingRow[]> | undefined): Target[] {
  const names = [
    ['process', 'scripts, process'],
    ['process-handler', 'handlers, process'],
    ['bubblewrap', 'scripts, bubblewrap'],
    ['bubblewrap-handler', 'handlers, bubblewrap'],
  ] as const;
  return names.map(([id, label]) => {
    const ending = pick(
      rows,
      (row) => row.id === id,
      (row) => row.ending,
    );
    return judge(`processes left by timeouts, ${label}`, '0', ending, ({ runs, timedOut, strays, survivors }) => {
      if (timedOut < runs) return [`${survivors}, but ${runs - timedOut} did not time out`, false];
      if (strays === 0) return [`${survivors}, but no run had anything to leave`, false];
      return [`${survivors} of ${runs} runs`, survivors === 0];
    });
  });
}

function pick<Row, T>(
  rows: Outcome<readonly Row[]> | undefined,
  isWanted: (row: Row) => boolean,
  outcomeOf: (row: Row) => Outcome<T>,
): Outcome<T> | undefined {
  if (rows?.status !== 'measured') return rows;
  const row = rows.value.find(isWanted);
  return row === undefined ? { status: 'failed', reason: 'it is not in the results' } : outcomeOf(row);
}

/** `verdictOf` returns a text if the target cannot be judged. */
function judge<T>(
  name: string,
  limit: string,
  outcome: Outcome<T> | undefined,
  verdictOf: (value: T) => Verdict | string,
): Target {
  if (outcome === undefined) return { name, limit };
  if (outcome.status !== 'measured')
    return outcome.status === 'absent'
      ? { name, limit, measured: outcome.reason }
      : { name, limit, measured: `failed: ${outcome.reason}`, pass: false };
  const verdict = verdictOf(outcome.value);
  if (typeof verdict === 'string') return { name, limit, measured: verdict };
  const [measured, pass] = verdict;
  return { name, limit, measured, pass };
}

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTraces, type TraceReading } from '../../../record/files/trace-file.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import { CliError, usageError } from '../cli-error.ts';
import { printAnswer, type Invocation } from '../command.ts';
import { readCount } from '../choosing/skill-ranking.ts';
import { amount } from '../validating/findings.ts';
import type { Output } from '../output.ts';
import { toLine, wrapText } from '../text/terminal-text.ts';
import { runTree } from './run-tree.ts';
import { treeLines } from './text-tree.ts';
import { collectRuns, type TracedRun, type TracedRuns } from './traced-runs.ts';

const DEFAULT_LAST = 5;

export async function run(invocation: Invocation): Promise<number> {
  const { output, positionals, options, globals } = invocation;
  const given = positionals[0] ?? '';
  const path = resolve(globals.cwd, given);
  const wanted = options.text('run');
  const last = readCount(options, 'last', globals.json ? Infinity : DEFAULT_LAST);
  assertFile(path, given);
  const reading = readTraces(path);
  const found = await collect(reading, given, (runId) => wanted === undefined || isCalled(runId, wanted));
  const runs = chooseRuns(found, { reading, given, wanted });
  const shown = runs.slice(Math.max(0, runs.length - last));
  const { damage } = reading;
  const { leftOut } = found;
  const earlier = runs.length - shown.length;
  return printAnswer(invocation, { runs: shown, notShown: earlier, leftOut, damage }, () => [
    ...shown.flatMap((traced, index) => [
      ...(index === 0 ? [] : ['']),
      ...treeLines(output, runTree(traced, found.runs)),
    ]),
    ...noteLines(output, { ...damage, leftOut, earlier }),
  ]);
}

function assertFile(path: string, given: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() === true) return;
  throw new CliError('PathNotFound', `${given} ${stat === undefined ? 'does not exist' : 'is not a file'}.`, {
    data: { path },
    hints: ['createTraceFile writes such files, one event per line. See docs/tracing.md.'],
  });
}

async function collect(
  reading: TraceReading,
  given: string,
  isWanted: (runId: string) => boolean,
): Promise<TracedRuns> {
  try {
    return await collectRuns(reading, { isWanted });
  } catch (error) {
    if (!SkillwrightError.isInstance(error) || error.code !== 'RecordingFailed') throw error;
    const reason = typeof error.data['reason'] === 'string' ? ` (${error.data['reason']})` : '';
    throw new CliError('RecordingFailed', `${given} cannot be read${reason}.`, {
      data: error.data,
      hints: ['Check its permissions and those of the rotated files next to it.'],
    });
  }
}

/** Whether the user means this run, by its id or the start of it. */
function isCalled(runId: string, wanted: string): boolean {
  return runId.startsWith(wanted) || runId.startsWith(`run-${wanted}`);
}

interface Asked {
  readonly reading: TraceReading;
  readonly given: string;
  readonly wanted: string | undefined;
}

function chooseRuns(found: TracedRuns, { reading, given, wanted }: Asked): readonly TracedRun[] {
  const { others, leftOut } = found;
  const ids = new Set(found.runs.map(({ runId }) => runId));
  // Child runs are shown below their parent.
  const runs = found.runs.filter(({ parent }) => parent === null || !ids.has(parent.runId));
  if (runs.length === 0 && others.length === 0 && leftOut === 0) throw emptyError(given, reading.damage);
  if (wanted === undefined) return runs;
  const exact = runs.filter(({ runId }) => runId === wanted || runId === `run-${wanted}`);
  const [only, ...more] = exact.length === 0 ? runs : exact;
  if (only !== undefined && more.length === 0) return [only];
  const shown = (runs.length === 0 ? others : runs.map(({ runId }) => runId).slice(-10)).map((id) => toLine(id));
  const problem = runs.length === 0 ? 'There is no run' : 'There are several runs';
  throw usageError(`${problem} whose id begins with '${toLine(wanted)}'.`, [`Runs: ${shown.join(', ')}`], {
    run: wanted,
    runs: shown,
  });
}

function emptyError(given: string, { torn, garbage }: TraceReading['damage']): CliError {
  const lines = torn + garbage;
  const problem =
    lines === 0 ? 'is empty' : `is not a trace: none of its ${amount(lines, 'line')} is an event of an agent`;
  return new CliError('NothingRecorded', `${given} ${problem}.`, {
    data: { torn, garbage },
    hints: ['A trace is a JSONL file written by createTraceFile. See docs/tracing.md.'],
  });
}

interface Notes {
  readonly torn: number;
  readonly garbage: number;
  readonly leftOut: number;
  readonly earlier: number;
}

function noteLines(output: Output, { torn, garbage, leftOut, earlier }: Notes): string[] {
  const notes = [
    earlier > 0 ? `${amount(earlier, 'earlier run')} not shown: --last ${earlier + DEFAULT_LAST} shows more.` : '',
    leftOut > 0 ? `${amount(leftOut, 'event')} of the oldest runs left out, because there are too many.` : '',
    garbage > 0 ? `${amount(garbage, 'line')} skipped, because they are not events of a trace.` : '',
    torn > 0 ? 'The last line is incomplete: its program was stopped, or is still writing it.' : '',
  ].filter((note) => note !== '');
  if (notes.length === 0) return [];
  return ['', ...notes.flatMap((note) => wrapText(note, output.proseColumns)).map((line) => output.style('dim', line))];
}

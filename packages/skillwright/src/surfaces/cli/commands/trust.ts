import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isInside } from '../../../sources/contained-path.ts';
import type { TrustStore } from '../../../sources/trust-store.ts';
import { SkillwrightError } from '../../../spec/error.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { amount } from '../findings.ts';
import { joinWords } from '../joined-words.ts';
import { resolvePlace } from '../locations.ts';
import { createErrorOutput } from '../output.ts';
import { createShownPaths, type ShownPaths } from '../shown-path.ts';
import { renderTable } from '../table.ts';
import { toLine } from '../terminal-text.ts';
import { wrapText } from '../text-width.ts';
import { coveredSkills, type CoveredSkill } from '../trust-coverage.ts';
import { openTrustStore } from '../trust-records.ts';

type Action = 'trust' | 'block' | 'remove' | 'list';

/** What became of a directory. */
interface Outcome {
  readonly action: Exclude<Action, 'list'>;
  readonly path: string;
  /** The trust file. */
  readonly file: string;
  readonly skills: readonly CoveredSkill[];
  /** The skill that the directory is a part of, which nothing recorded here counts for; `null` for most. */
  readonly insideSkill: string | null;
}

export async function run(invocation: Invocation): Promise<number> {
  const { context, output, globals, positionals } = invocation;
  const action = chosenAction(invocation);
  const store = openTrustStore(context);
  const shown = createShownPaths(globals.cwd, context.home);
  if (action === 'list') return listEntries(invocation, store, shown);
  const outcome = await change(action, positionals[0] ?? '.', store, globals.cwd);
  if (globals.json) output.json(outcome);
  else output.lines(outcomeLines(invocation, outcome, shown));
  if (outcome.insideSkill !== null) warnOfPart(invocation, outcome, toLine(shown.path(outcome.insideSkill)));
  return 0;
}

function warnOfPart({ context }: Invocation, { action }: Outcome, skill: string): void {
  const output = createErrorOutput(context);
  output.line(
    `${output.style('warning', 'warning:')} It is a part of the skill in ${skill}, and what is recorded of a part does not count for the skill.`,
  );
  const option = action === 'block' ? '--block ' : '';
  output.line(output.style('dim', `  For the skill itself: skillwright trust ${option}${joinWords([skill])}`));
}

function chosenAction({ options, positionals, globals }: Invocation): Action {
  const chosen = (['list', 'remove', 'block'] as const).filter((name) => options.flag(name));
  const [first, second] = chosen;
  if (first !== undefined && second !== undefined)
    throw usageError(`--${first} and --${second} exclude each other.`, ['Leave one of them out.']);
  if (first === 'list' && positionals[0] !== undefined)
    throw usageError(`--list shows everything and has no use for '${positionals[0]}'.`, ['Leave it out.']);
  if (globals.dirs.length > 0)
    throw usageError("'skillwright trust' takes its directory without --dir.", ['Usage: skillwright trust [path]']);
  return first ?? 'trust';
}

async function change(action: Outcome['action'], given: string, store: TrustStore, cwd: string): Promise<Outcome> {
  const { file } = store;
  if (action !== 'remove') {
    const place = resolvePlace(given, cwd);
    const { path } = await store.set(place, action === 'block' ? 'blocked' : 'trusted');
    const skills = coveredSkills(store, path);
    return { action, path, file, skills, insideSkill: skills.length === 0 ? enclosingSkill(path) : null };
  }
  const path = existsSync(resolve(cwd, given)) ? resolvePlace(given, cwd) : resolve(cwd, given);
  if (!(await store.remove(path))) throw nothingRecorded(store, path);
  return { action, path, file, skills: existsSync(path) ? coveredSkills(store, path) : [], insideSkill: null };
}

/** The directory of the skill that holds this directory as one of its parts. */
function enclosingSkill(path: string): string | null {
  for (let directory = path; dirname(directory) !== directory; directory = dirname(directory))
    if (existsSync(join(dirname(directory), 'SKILL.md'))) return dirname(directory);
  return null;
}

function nothingRecorded(store: TrustStore, path: string): CliError {
  const above = store.entries().find((entry) => isInside(path, entry.path));
  const hints = [
    above === undefined
      ? 'skillwright trust --list shows what is recorded.'
      : `It lies in ${above.path}, which is recorded as ${above.level}.`,
  ];
  return new CliError('NothingRecorded', `Nothing is recorded of ${path}.`, { hints, data: { path } });
}

function outcomeLines({ output }: Invocation, outcome: Outcome, shown: ShownPaths): string[] {
  const { action, skills } = outcome;
  const path = toLine(shown.path(outcome.path));
  const rows = skills.map(({ name, trust, path: file }) => [toLine(name), trust, toLine(shown.path(file))]);
  const table = renderTable(
    output,
    [{ heading: 'NAME', style: 'name', maxWidth: 40 }, { heading: 'TRUST', style: 'dim' }, { heading: 'FILE' }],
    rows,
  );
  const heads = {
    trust: `Trusted: ${path} and everything below it.`,
    block: `Blocked: ${path} and everything below it.`,
    remove: `Taken back what was recorded of ${path}.`,
  };
  const undo = `'skillwright trust --remove ${joinWords([path])}' takes it back.`;
  const tails = {
    trust: `Scripts and tools of its skills may run as you. ${undo}`,
    block: `Its skills never load. ${undo}`,
    remove: '',
  };
  const count = skills.length === 0 ? 'There are no skills in it now.' : `It holds ${amount(skills.length, 'skill')}.`;
  return [
    `${output.style('good', '✓')} ${heads[action]}`,
    ...(rows.length === 0 ? [] : ['', ...table, '']),
    ...wrapText(`${count} ${tails[action]}`.trim(), output.proseColumns),
  ];
}

function listEntries({ output, globals }: Invocation, store: TrustStore, shown: ShownPaths): number {
  const [problem] = store.diagnostics;
  if (problem !== undefined) {
    const text = problem.hint === undefined ? problem.message : `${problem.message} ${problem.hint}`;
    throw new SkillwrightError('TrustFileUnusable', text, { data: { path: store.file } });
  }
  const entries = store.entries().map((entry) => ({ ...entry, exists: existsSync(entry.path) }));
  if (globals.json) {
    output.json({ file: store.file, entries });
    return 0;
  }
  if (entries.length === 0) {
    output.lines(
      wrapText(
        "Nothing is recorded: skills that commands find by themselves are untrusted. 'skillwright trust <path>' trusts those in a directory.",
        output.proseColumns,
      ),
    );
    return 0;
  }
  const rows = entries.map(({ path, level, at, exists }) => [
    toLine(shown.path(path)),
    level,
    exists ? toLine(at.slice(0, 10)) : 'no longer exists',
  ]);
  output.lines(
    renderTable(output, [{ heading: 'DIRECTORY', style: 'name' }, { heading: 'LEVEL' }, { heading: 'SINCE' }], rows),
  );
  output.line();
  output.line(`${entries.length === 1 ? '1 entry' : `${entries.length} entries`} in ${toLine(shown.path(store.file))}`);
  return 0;
}

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { assertNotAllBlocked } from '../../../catalog/lookup/skill-lookup.ts';
import { reportOutcomes } from '../../../select/evaluation/report.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import { CliError, usageError } from '../cli-error.ts';
import { missingPath } from '../finding/missing-path.ts';
import type { Invocation } from '../command.ts';
import { evalLines } from './eval-lines.ts';
import { toEvalJson, type EvalResult } from './eval-result.ts';
import { runCases, type EvalRun } from './eval-run.ts';
import { failuresOf, readThresholds } from './eval-verdict.ts';
import { createProgressLine } from './progress-line.ts';
import { chosenRanker, createReadyRanker } from './skill-ranking.ts';
import { assertSuggestOptions, suggestCases } from './suggesting/suggest.ts';
import { filesOfSkill, namedFile, type TriggerSetFile } from './trigger-set-files.ts';
import { readTriggerSets, type TriggerSets } from './trigger-sets.ts';
import { isAt, openSkills, resolvePlace, type OpenedSkills } from '../finding/locations.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { output, options } = invocation;
  const isJson = wantsJson(invocation);
  assertSuggestOptions(invocation);
  if (options.flag('suggest')) return suggest(invocation, isJson);
  const thresholds = readThresholds(options);
  const ranker = chosenRanker(options);
  const { opened, files } = findSets(invocation);
  const { skills } = opened.snapshot;
  const sets = readTriggerSets(files, opened.snapshot);
  assertCases(sets, files, opened);
  const { outcomes, notes } = await runAll(invocation, sets, opened);
  const report = reportOutcomes(outcomes, skills);
  const { diagnostics } = sets;
  const failures = failuresOf(report, diagnostics, thresholds);
  const result: EvalResult = {
    ranker,
    skills: new Map(skills.map((skill) => [skill.name, skill])),
    sets: sets.files,
    report,
    thresholds,
    failures,
    notes,
    diagnostics,
  };
  if (isJson) output.json(toEvalJson(result));
  else output.lines(evalLines(output, result, opened.shown));
  return failures.length === 0 ? 0 : 1;
}

/** Suggests cases for the skills of the named directories, or else of the working directory. */
function suggest(invocation: Invocation, isJson: boolean): Promise<number> {
  const { globals, positionals } = invocation;
  const set = positionals.find((word) => isSet(word, globals.cwd));
  if (set !== undefined) throw usageError(`--suggest takes skills, not the trigger set '${set}'.`, []);
  const places = positionals.map((word) => resolvePlace(word, globals.cwd));
  const opened = openSkills(invocation, { dirs: [...globals.dirs, ...places] });
  const wanted = places.length > 0 ? places : globals.dirs.length > 0 ? undefined : [globals.cwd];
  const skills = opened.snapshot.skills.filter(
    ({ baseDir }) => wanted === undefined || wanted.some((place) => isAt(baseDir, place)),
  );
  return suggestCases(invocation, skills, opened, isJson);
}

function wantsJson({ options, globals }: Invocation): boolean {
  const format = options.text('format');
  if (globals.json && format === 'text')
    throw usageError('--json and --format text cannot be used together.', ['Remove one of them.']);
  return globals.json || format === 'json';
}

/**
 * Words that end in `.json` are trigger sets. Other words are directories, whose skills are ranked together with those
 * of `--dir`.
 */
function findSets(invocation: Invocation): { opened: OpenedSkills; files: readonly TriggerSetFile[] } {
  const { globals, positionals } = invocation;
  const places = positionals.filter((word) => !isSet(word, globals.cwd)).map((word) => resolvePlace(word, globals.cwd));
  const opened = openSkills(invocation, { dirs: [...globals.dirs, ...places] });
  const { snapshot } = opened;
  const named = positionals
    .filter((word) => isSet(word, globals.cwd))
    .map((word) => {
      const path = resolve(globals.cwd, word);
      if (statSync(path, { throwIfNoEntry: false }) === undefined) throw missingPath(word, path);
      return namedFile(path, snapshot.skills);
    });
  const isMeant = ({ baseDir }: SkillMetadata): boolean =>
    positionals.length === 0 || places.some((place) => isAt(baseDir, place));
  const found = snapshot.skills.filter(isMeant).flatMap((skill) => filesOfSkill(skill, snapshot));
  const paths = new Set(named.map(({ path }) => path));
  return { opened, files: [...named, ...found.filter(({ path }) => !paths.has(path))] };
}

function isSet(word: string, cwd: string): boolean {
  return /\.json$/i.test(word) && !isDirectory(resolve(cwd, word));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** An empty evaluation fails, so that a mistyped path does not pass. */
function assertCases(
  { cases, diagnostics }: TriggerSets,
  files: readonly TriggerSetFile[],
  opened: OpenedSkills,
): void {
  if (cases.length > 0) return;
  const { snapshot, shown } = opened;
  assertNotAllBlocked(snapshot);
  const message =
    snapshot.skills.length === 0
      ? 'There is no skill to evaluate.'
      : files.length === 0
        ? 'None of the skills here has a trigger set.'
        : 'No trigger set has a query that can be run.';
  const clues = diagnostics
    .slice(0, CLUES_SHOWN)
    .map(({ path, message: why }) => `${shown.path(path)}: ${shown.text(why)}`);
  throw new CliError('NoSkillFound', message, {
    hints: [
      ...clues,
      'A trigger set is a file such as evals/triggers.json next to a SKILL.md:',
      '[{ "query": "how many words are in this text?", "should_trigger": true }]',
    ],
    data: { skills: snapshot.skills.length, files: files.length },
  });
}

const CLUES_SHOWN = 10;

async function runAll(
  { context, options }: Invocation,
  { cases }: TriggerSets,
  opened: OpenedSkills,
): Promise<EvalRun> {
  const { snapshot } = opened;
  const ranker = await createReadyRanker(snapshot, chosenRanker(options));
  const progress = createProgressLine(context, 'Ranking query');
  try {
    return runCases(cases, snapshot.skills, ranker, progress);
  } finally {
    progress.end();
  }
}

import { assertNotAllBlocked } from '../../../catalog/lookup/skill-lookup.ts';
import { PROGRAM } from '../../../spec/program.ts';
import { describeCut, type RankingCut } from '../../../select/ranking/cut.ts';
import type { RankerKind } from '../../../spec/ranker.ts';
import { CliError, usageError } from '../cli-error.ts';
import { printAnswer, type Invocation } from '../command.ts';
import { openSkills } from '../finding/locations.ts';
import { section, type Output } from '../output.ts';
import { readInput } from '../running/host-process.ts';
import { toLine, cutText, wrapText } from '../text/terminal-text.ts';
import { amount, bullet } from '../validating/findings.ts';
import { chosenRanker, createReadyRanker, percentOf, readCount, readCutOptions } from './skill-ranking.ts';
import { factsHere, type LeftOutSkill, type MatchedSkill, matchTask, type TaskMatch } from './task-match.ts';

interface MatchShown {
  /** How many skills are shown at most. */
  readonly most: number;
  /** Show skills that would not be chosen, and every skill that was left out. */
  readonly isAll: boolean;
  readonly kind: RankerKind;
  /** How many skills exist. */
  readonly all: number;
}

/**
 * This message is about hosts that choose skills by the task. Other hosts list all skills, and every host shows
 * always-on skills.
 */
const NONE_FITS = 'No skill fits this task, so a host that chooses skills by the task picks none.';
const LONGEST_DESCRIPTION = 1_000;
const NEAREST_SHOWN = 3;
/** Points below this would be displayed as zero. */
const LEAST_POINTS = 0.005;

export async function run(invocation: Invocation): Promise<number> {
  const { context, output, options, globals } = invocation;
  const limit = options.text('limit') === undefined ? undefined : readCount(options, 'limit', 1);
  const cutOptions = readCutOptions(options);
  const most = limit ?? cutOptions.maxSkills;
  const kind = chosenRanker(options);
  const task = await readTask(invocation);
  const { snapshot } = openSkills(invocation);
  assertNotAllBlocked(snapshot);
  if (snapshot.skills.length === 0)
    throw new CliError('NoSkillFound', 'There is no skill to choose from.', {
      hints: [`${PROGRAM} list shows the searched directories and how to start.`],
    });
  const ranker = await createReadyRanker(snapshot, kind);
  const facts = factsHere(context, options.list('file'), globals.cwd);
  const found = matchTask({ task, limit, cut: { ...cutOptions, ranker: kind }, snapshot, ranker, facts });
  const { skills, leftOut, cut } = found;
  const isAll = options.flag('all');
  const chosen = skills.filter((skill) => skill.chosen);
  const nearest = chosen.length > 0 ? [] : skills.slice(0, most);
  const answer = {
    ranker: kind,
    fits: chosen.length > 0,
    cut: cut === undefined ? null : { ...cutOptions, ...cutFields(cut) },
    skills: isAll ? skills : chosen,
    nearest,
    leftOut,
  };
  return printAnswer(invocation, answer, () =>
    matchLines(output, found, { most, isAll, kind, all: snapshot.skills.length }),
  );
}

function cutFields(cut: RankingCut): object {
  const { next, reason, needed } = cut;
  return {
    reason,
    next: next === undefined ? null : { name: next.id, score: next.score, confidence: next.confidence },
    needed: needed ?? null,
    sentence: describeCut(cut),
  };
}

async function readTask({ context, positionals }: Invocation): Promise<string> {
  const isPiped = positionals.length === 1 && positionals[0] === '-';
  const task = isPiped ? await readPiped(context) : positionals.join(' ');
  if (task.trim() !== '') return task;
  throw usageError(isPiped ? 'Standard input is empty.' : 'The task is empty.', [
    `Give a request that a user could make: ${PROGRAM} match "how many words are in this text"`,
  ]);
}

async function readPiped(context: Invocation['context']): Promise<string> {
  const bytes = await readInput(context);
  if (bytes === undefined) throw usageError('There is no standard input to read the task from.');
  return new TextDecoder().decode(bytes);
}

/** The skills that fit, or the nearest ones; then the skills that were left out, with the reasons. */
function matchLines(output: Output, { skills, leftOut, cut }: TaskMatch, shown: MatchShown): string[] {
  const chosen = skills.filter((skill) => skill.chosen);
  const others = skills.filter((skill) => !skill.chosen);
  const nearest = others.slice(0, Math.min(shown.most, NEAREST_SHOWN));
  return [
    ...(chosen.length > 0 ? skillLines(output, chosen) : noneLines(output, nearest)),
    ...(shown.isAll
      ? section(output, 'Not chosen', skillLines(output, chosen.length > 0 ? others : others.slice(nearest.length)))
      : []),
    ...leftOutLines(output, leftOut, shown),
    '',
    ...(cut?.next === undefined ? [] : dimLines(output, toLine(describeCut(cut)))),
    footer(chosen.length, shown),
  ];
}

function noneLines(output: Output, nearest: readonly MatchedSkill[]): string[] {
  const none = wrapText(NONE_FITS, output.proseColumns).map((line) => output.style('warning', line));
  if (nearest.length === 0) return [...none, 'No skill has any word of the task.'];
  return [...none, ...section(output, 'Closest skills', skillLines(output, nearest))];
}

function skillLines(output: Output, skills: readonly MatchedSkill[]): string[] {
  return skills.flatMap((skill, index) => [
    ...(index === 0 ? [] : ['']),
    [
      output.style('name', toLine(skill.name)),
      output.style(skill.chosen ? 'good' : 'dim', percentOf(skill.confidence)),
      output.style('dim', `score ${skill.score.toFixed(2)}${skill.mode === 'on' ? ', always shown (mode on)' : ''}`),
    ].join('  '),
    `  ${cutText(toLine(skill.description.slice(0, LONGEST_DESCRIPTION)), output.columns - 2)}`,
    ...weightiestFirst(skill.reasons).flatMap(({ sentence }) => bullet(output, sentence)),
  ]);
}

/**
 * Sorts reasons by weight, largest first. Omits the coverage rule if it is worth almost no points, because that only
 * means that the task is covered well enough.
 */
function weightiestFirst(reasons: MatchedSkill['reasons']): MatchedSkill['reasons'] {
  return reasons
    .filter(({ rule, points }) => rule !== 'coverage' || Math.abs(points) >= LEAST_POINTS)
    .toSorted((a, b) => b.points - a.points);
}

function leftOutLines(output: Output, leftOut: readonly LeftOutSkill[], { isAll, most }: MatchShown): string[] {
  const near = isAll ? leftOut : leftOut.filter((skill, index) => isNear(skill, index, most)).slice(0, most);
  const more = leftOut.length - near.length;
  const title = isAll ? 'Excluded for every task' : 'Excluded, although the task has words of the skill';
  const lines = near.flatMap(({ name, reasons }) =>
    bullet(output, `${name}: ${reasons.map(({ sentence }) => sentence).join(' ')}`),
  );
  const rest = `${amount(more, near.length === 0 ? 'skill' : 'more skill')} ${more === 1 ? 'is' : 'are'} excluded for every task; --all shows the reasons.`;
  return [...section(output, title, lines), ...(more > 0 ? ['', ...dimLines(output, rest)] : [])];
}

/**
 * Whether the skill would be chosen if nothing excluded it. `index` is its position among the skills that were left
 * out.
 */
function isNear({ rank }: LeftOutSkill, index: number, most: number): boolean {
  return rank !== null && rank - 1 - index < most;
}

function dimLines(output: Output, text: string): string[] {
  return wrapText(text, output.proseColumns).map((line) => output.style('dim', line));
}

function footer(chosen: number, { kind, all }: MatchShown): string {
  return `${chosen} of ${amount(all, 'skill')} chosen · ${kind}`;
}

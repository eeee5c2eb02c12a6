import { isSureFalsePositive, type EvalOutcome } from '../../../select/evaluation/outcome.ts';
import type { EvalScore, SkillEval } from '../../../select/evaluation/report.ts';
import type { Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import { amount, bullet, findingLines, withShownPaths } from '../validating/findings.ts';
import { section, type Output } from '../output.ts';
import type { ShownPaths } from '../text/shown-path.ts';
import { renderTable } from '../text/table.ts';
import { toLine } from '../text/terminal-text.ts';
import { wrapText } from '../text/text-width.ts';
import type { EvalResult } from './eval-result.ts';
import { percentOf } from './skill-ranking.ts';

const LONGEST_QUERY = 100;
/** The most rows of each kind to print; `--json` has all of them. */
const MOST_SHOWN = 20;

/** The report for people: a table, the failures, advice, and the verdict. */
export function evalLines(output: Output, result: EvalResult, shown: ShownPaths): string[] {
  const { report, diagnostics, notes } = result;
  const sure = report.skills.flatMap(({ falseFirsts }) => falseFirsts.filter(isSureFalsePositive));
  const missed = report.skills.flatMap(({ misses }) => misses);
  const sections: [string, string[]][] = [
    ['Not found first', queryLines(output, missed, shown, (outcome) => describeMiss(outcome))],
    [
      'Sure false positives',
      queryLines(output, sure, shown, ({ skill, confidence }) => `${skill} answers, ${percentOf(confidence)}`),
    ],
    [
      'Skills that compete for the same queries',
      report.confusions.slice(0, MOST_SHOWN).flatMap((pair) => confusionLines(output, pair)),
    ],
    ['Suggestions', suggestionLines(output, report.skills)],
    ['Notes', notes.flatMap((note) => bullet(output, note))],
    ['Trigger sets', diagnosticLines(output, diagnostics, shown)],
  ];
  return [
    ...scoreTable(output, result),
    '',
    ...wrapText(summaryOf(report), output.proseColumns),
    ...sections.flatMap(([title, lines]) => section(output, title, lines)),
    '',
    ...verdictLines(output, result),
  ];
}

function scoreTable(output: Output, { report }: EvalResult): string[] {
  const shown = output.columns < WIDE ? COLUMNS.filter(([, , isKept]) => isKept) : COLUMNS;
  const cells = (score: EvalScore): string[] => shown.map(([, value]) => value(score));
  return renderTable(
    output,
    [{ heading: 'SKILL', style: 'name', maxWidth: 40 }, ...shown.map(([heading]) => ({ heading }))],
    [...report.skills.map((skill) => [toLine(skill.name), ...cells(skill)]), ['all', ...cells(report)]],
  );
}

/** Narrower terminals do not have room for every column. */
const WIDE = 100;

/** Headings, values, and whether a narrow terminal shows the column. */
const COLUMNS: readonly (readonly [string, (score: EvalScore) => string, boolean])[] = [
  ['SHOULD', ({ shouldTrigger }) => String(shouldTrigger), false],
  ['FIRST', ({ recallAt1 }) => recall(recallAt1), true],
  ['IN 5', ({ recallAt5 }) => recall(recallAt5), true],
  ['SHOULD NOT', ({ shouldNotTrigger }) => String(shouldNotTrigger), false],
  ['FALSE IN 5', ({ falsePositives }) => String(falsePositives.injected), false],
  ['FALSE FIRST', ({ falsePositives }) => String(falsePositives.first), false],
  ['FALSE SURE', ({ falsePositives }) => String(falsePositives.sure), true],
];

function recall(share: number | null): string {
  return share === null ? '-' : percentOf(share);
}

function describeMiss({ skill, rank, confidence, answers }: EvalOutcome): string {
  const [best] = answers;
  if (best === undefined) return `no skill fits, but ${skill} should`;
  const own = rank === 0 ? `${skill} is not among the best` : `${skill} is number ${rank}, ${percentOf(confidence)}`;
  return `${best.name} is first, ${percentOf(best.confidence)}; ${own}`;
}

function queryLines(
  output: Output,
  outcomes: readonly EvalOutcome[],
  shown: ShownPaths,
  describe: (outcome: EvalOutcome) => string,
): string[] {
  const lines = outcomes.slice(0, MOST_SHOWN).flatMap((outcome) => {
    const { query, path, line } = outcome;
    const place = line === undefined ? shown.path(path) : `${shown.path(path)}:${line}`;
    return [
      ...bullet(output, `"${shortQuery(query)}"`),
      ...wrapText(toLine(describe(outcome)), output.proseColumns - 4).map((text) => `    ${text}`),
      ...wrapText(toLine(place), output.proseColumns - 4).map((text) => output.style('dim', `    ${text}`)),
    ];
  });
  return [...lines, ...moreLines(output, outcomes.length)];
}

function diagnosticLines(output: Output, diagnostics: readonly Diagnostic[], shown: ShownPaths): string[] {
  const lines = diagnostics
    .slice(0, MOST_SHOWN)
    .flatMap((diagnostic) => findingLines(output, withShownPaths(diagnostic, shown), '  '));
  return [...lines, ...moreLines(output, diagnostics.length)];
}

/** Says how many rows are not shown. */
function moreLines(output: Output, count: number): string[] {
  return count > MOST_SHOWN ? [output.style('dim', `  … and ${count - MOST_SHOWN} more: --json has all`)] : [];
}

function shortQuery(query: string): string {
  const line = toLine(query.slice(0, LONGEST_QUERY * 2));
  return line.length > LONGEST_QUERY || query.length > LONGEST_QUERY * 2
    ? `${line.slice(0, LONGEST_QUERY).toWellFormed()}…`
    : line;
}

function confusionLines(
  output: Output,
  { skills, lost, sharedWords }: EvalResult['report']['confusions'][number],
): string[] {
  const [one, other] = skills;
  const taken = [
    lost[0] > 0 ? `${other} takes ${queries(lost[0])} of ${one}` : '',
    lost[1] > 0 ? `${one} takes ${queries(lost[1])} of ${other}` : '',
  ];
  const words = sharedWords.length === 0 ? 'They share no word.' : `They share: ${sharedWords.join(', ')}.`;
  return bullet(output, `${taken.filter((part) => part !== '').join(', ')}. ${words}`);
}

function suggestionLines(output: Output, skills: readonly SkillEval[]): string[] {
  const missing = skills.filter(({ suggestion }) => suggestion.missingWords.length > 0);
  const attracting = skills.filter(({ suggestion }) => suggestion.attractingWords.length > 0);
  const advice = [
    missing.length > 0 ? 'Add missing words to the descriptions they belong to.' : '',
    attracting.length > 0
      ? 'If words attract queries for other skills, use narrower words, or say what the skill is not for: "Do not use for …".'
      : '',
  ];
  const said = advice.filter((sentence) => sentence !== '').join(' ');
  return [
    ...missing.flatMap((skill) => bullet(output, describeMissing(skill))),
    ...attracting.flatMap((skill) => bullet(output, describeAttracting(skill))),
    ...(said === '' ? [] : wrapText(said, output.proseColumns - 2).map((line) => `  ${line}`)),
  ];
}

function describeMissing({ name, suggestion, misses }: SkillEval): string {
  const verb = misses.length === 1 ? 'says' : 'say';
  return `${name}: ${queries(misses.length)} it should answer first ${verb} what its description does not: ${suggestion.missingWords.join(', ')}.`;
}

function describeAttracting({ name, suggestion: { attractingWords, attracted } }: SkillEval): string {
  const [bring, are] = [attractingWords.length === 1 ? 'brings' : 'bring', attracted === 1 ? 'is' : 'are'];
  return `${name}: ${attractingWords.join(', ')} ${bring} it ${queries(attracted)} that ${are} not for it.`;
}

/** The score of all skills together, in words. */
function summaryOf({ recallAt1, recallAt5, shouldNotTrigger, falsePositives }: EvalScore): string {
  const { injected, first, sure } = falsePositives;
  const found = `Recall@1 ${recall(recallAt1)}, recall@5 ${recall(recallAt5)}.`;
  if (shouldNotTrigger === 0) return `${found} No query says what should not trigger a skill.`;
  return `${found} ${queries(shouldNotTrigger)} should not trigger a skill: of these ${injected} bring it among the first five, ${first} first, ${sure} with a confidence of half or more.`;
}

function queries(count: number): string {
  return count === 1 ? '1 query' : `${count.toLocaleString('en')} queries`;
}

function verdictLines(output: Output, { report, failures, pool, sets, ranker }: EvalResult): string[] {
  const all = report.shouldTrigger + report.shouldNotTrigger;
  const what = `${queries(all)} of ${amount(sets, 'trigger set')} over ${amount(pool, 'skill')}, ${ranker}`;
  const [mark, verdict] =
    failures.length === 0 ? [output.style('good', '✓'), 'passed'] : [output.style('error', '✗'), 'failed'];
  return [
    ...failures.flatMap((failure) => bullet(output, failure)),
    ...wrapText(`${what}: ${verdict}`, output.proseColumns - 2).map(
      (line, index) => `${index === 0 ? mark : ' '} ${line}`,
    ),
  ];
}

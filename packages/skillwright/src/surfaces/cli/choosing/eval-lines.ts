import { isSureFalsePositive, type EvalOutcome } from '../../../select/evaluation/outcome.ts';
import type { EvalScore, SkillEval } from '../../../select/evaluation/report.ts';
import type { Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import { amount, bullet, findingLines, withShownPaths } from '../validating/findings.ts';
import { section, type Output } from '../output.ts';
import type { ShownPaths } from '../text/shown-path.ts';
import { renderTable } from '../text/table.ts';
import { toLine, wrapText } from '../text/terminal-text.ts';
import { adviseOnConfusion, adviseOnFalsePositives, type DescriptionAdvice } from './description-advice.ts';
import type { EvalResult } from './eval-result.ts';
import { percentOf } from './skill-ranking.ts';

const LONGEST_QUERY = 100;
/** The most rows of each kind to print; `--json` has all of them. */
const MOST_SHOWN = 20;

/** The report for people: a table, where the missed queries went, advice, and the verdict. */
export function evalLines(output: Output, result: EvalResult, shown: ShownPaths): string[] {
  const { report, diagnostics, notes } = result;
  const sure = report.skills.flatMap(({ falseFirsts }) => falseFirsts.filter(isSureFalsePositive));
  const missed = report.skills.flatMap(({ misses }) => misses);
  const sections: [string, string[]][] = [
    ['Where queries went instead', confusionTable(output, report)],
    ['Not found first', queryLines(output, missed, shown, (outcome) => describeMiss(outcome))],
    [
      'Confidently wrong',
      [
        ...queryLines(output, sure, shown, ({ skill, confidence }) => `${skill} answers, ${percentOf(confidence)}`),
        ...report.skills.flatMap((skill) => falsePositiveAdvice(output, skill, result)),
      ],
    ],
    ['Descriptions that compete', competitionLines(output, result)],
    ['Suggestions', suggestionLines(output, result)],
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
const WIDE = 72;

/**
 * Headings, values, and whether a narrow terminal shows the column. The first two columns are about queries for the
 * skill, the others about queries that are not for it.
 */
const COLUMNS: readonly (readonly [string, (score: EvalScore) => string, boolean])[] = [
  ['FOUND FIRST', ({ first, shouldTrigger }) => outOf(first, shouldTrigger), false],
  ['FOUND IN 5', ({ found, shouldTrigger }) => outOf(found, shouldTrigger), true],
  ['WRONG IN 5', ({ falsePositives, shouldNotTrigger }) => outOf(falsePositives.injected, shouldNotTrigger), false],
  ['WRONG, SURE', ({ falsePositives, shouldNotTrigger }) => outOf(falsePositives.sure, shouldNotTrigger), true],
];

function outOf(part: number, whole: number): string {
  return whole === 0 ? '-' : `${part} of ${whole}`;
}

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

/** For each skill, which other skills its missed queries went to, and how many; largest number first. */
function confusionTable(output: Output, { skills }: EvalResult['report']): string[] {
  const rows = skills.flatMap(({ name, misses, shouldTrigger }) =>
    [...Map.groupBy(misses, ({ answers }) => answers[0]?.name)].map(([to, lost]) => ({
      from: name,
      to: to ?? 'no skill',
      count: lost.length,
      of: shouldTrigger,
    })),
  );
  const cells = rows
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_SHOWN)
    .map(({ from, to, count, of }) => [toLine(from), toLine(to), outOf(count, of)]);
  if (cells.length === 0) return [];
  const maxWidth = Math.min(40, Math.floor((output.columns - COUNT_WIDTH) / 2));
  const columns = [
    { heading: 'QUERIES FOR', style: 'name', maxWidth },
    { heading: 'WENT TO', maxWidth },
    { heading: 'HOW MANY' },
  ] as const;
  return [...renderTable(output, columns, cells, { indent: 2 }), ...moreLines(output, rows.length)];
}

/** The width of the last column with the space around it. */
const COUNT_WIDTH = 16;

/** Pairs of skills that take each other's queries, and what their descriptions should say. */
function competitionLines(output: Output, { report, skills }: EvalResult): string[] {
  const lines = report.confusions.slice(0, MOST_SHOWN).flatMap((pair) => {
    const [one, other] = pair.skills;
    const [lostByOne, lostByOther] = pair.lost;
    const taken = [
      ...(lostByOne > 0 ? [`${other} takes ${queries(lostByOne)} of ${one}`] : []),
      ...(lostByOther > 0 ? [`${one} takes ${queries(lostByOther)} of ${other}`] : []),
    ];
    const words = pair.sharedWords.length === 0 ? 'They share no word.' : `Both say: ${pair.sharedWords.join(', ')}.`;
    const advice = adviseOnConfusion(pair, skills);
    return [
      ...bullet(output, `${taken.join(', and ')}. ${words}`),
      ...(advice.length > 0
        ? adviceLines(output, advice)
        : arrowLines(output, `Say in the description of ${one} what ${other} is not for.`)),
    ];
  });
  return [...lines, ...moreLines(output, report.confusions.length)];
}

function falsePositiveAdvice(output: Output, skill: SkillEval, { skills }: EvalResult): string[] {
  const metadata = skills.get(skill.name);
  return metadata === undefined ? [] : adviceLines(output, adviseOnFalsePositives(skill, metadata));
}

function adviceLines(output: Output, advice: readonly DescriptionAdvice[]): string[] {
  return advice.flatMap(({ skill, say }) => arrowLines(output, `In ${skill}, say: "${say}"`));
}

function arrowLines(output: Output, text: string): string[] {
  return wrapText(toLine(text), output.proseColumns - 6).map((line, index) => `    ${index === 0 ? '→' : ' '} ${line}`);
}

/** For each skill, words to add to its description, and words that attract queries for other skills. */
function suggestionLines(output: Output, { report }: EvalResult): string[] {
  const takers = new Set(report.confusions.flatMap(({ queries: lost }) => lost.map(({ answers }) => answers[0]?.name)));
  // If other skills took all missed queries, the section on competing descriptions says what to do.
  const missing = report.skills.filter(
    ({ suggestion, misses }) =>
      suggestion.missingWords.length > 0 && misses.some(({ answers }) => answers.length === 0),
  );
  const attracting = report.skills.filter(
    ({ name, suggestion, falsePositives }) =>
      suggestion.attractingWords.length > 0 && (falsePositives.sure > 0 || takers.has(name)),
  );
  const advice = [
    missing.length > 0 ? 'Add missing words to the descriptions they belong to.' : '',
    attracting.length > 0 ? 'If words attract queries for other skills, use narrower words.' : '',
  ];
  const said = advice.filter((sentence) => sentence !== '').join(' ');
  return [
    ...missing.flatMap((skill) => bullet(output, describeMissing(skill))),
    ...attracting.flatMap((skill) => bullet(output, describeAttracting(skill))),
    ...(said === '' ? [] : wrapText(said, output.proseColumns - 2).map((line) => `  ${line}`)),
  ];
}

function describeMissing({ name, suggestion, misses }: SkillEval): string {
  const verb = misses.length === 1 ? 'uses' : 'use';
  return `${name}: ${queries(misses.length)} for it ${verb} words that its description lacks: ${suggestion.missingWords.join(', ')}.`;
}

function describeAttracting({ name, suggestion: { attractingWords, attracted } }: SkillEval): string {
  const [bring, are] = [attractingWords.length === 1 ? 'brings' : 'bring', attracted === 1 ? 'is' : 'are'];
  return `${name}: ${attractingWords.join(', ')} ${bring} it ${queries(attracted)} that ${are} not for it.`;
}

/** The score of all skills together, in words. */
function summaryOf({ recallAt1, recallAt5, shouldTrigger, shouldNotTrigger, falsePositives }: EvalScore): string {
  const { injected, sure } = falsePositives;
  const found =
    shouldTrigger === 0
      ? 'No query says what should trigger a skill.'
      : `${recall(recallAt1)} of ${queries(shouldTrigger)} for a skill find it first (recall@1), and ${recall(recallAt5)} among the first five (recall@5).`;
  const wrong =
    shouldNotTrigger === 0
      ? 'No query says what should not trigger a skill.'
      : `${injected} of ${queries(shouldNotTrigger)} that should not trigger a skill ${injected === 1 ? 'shows' : 'show'} it among the first five, and ${sure} ${sure === 1 ? 'puts' : 'put'} it first with a confidence of half or more.`;
  return `${found} ${wrong}`;
}

function queries(count: number): string {
  return count === 1 ? '1 query' : `${count.toLocaleString('en')} queries`;
}

function verdictLines(output: Output, { report, failures, skills, sets, ranker }: EvalResult): string[] {
  const all = report.shouldTrigger + report.shouldNotTrigger;
  const what = `${queries(all)} of ${amount(sets, 'trigger set')} over ${amount(skills.size, 'skill')}, ${ranker}`;
  const [mark, verdict] =
    failures.length === 0 ? [output.style('good', '✓'), 'passed'] : [output.style('error', '✗'), 'failed'];
  return [
    ...failures.flatMap((failure) => bullet(output, failure)),
    ...wrapText(`${what}: ${verdict}`, output.proseColumns - 2).map(
      (line, index) => `${index === 0 ? mark : ' '} ${line}`,
    ),
  ];
}

import { SkillwrightError } from '../../../../spec/errors/error.ts';
import { PROGRAM } from '../../../../spec/program.ts';
import type { SkillMetadata } from '../../../../spec/skill.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { Invocation } from '../../command.ts';
import { isYes } from '../../context.ts';
import type { OpenedSkills } from '../../finding/locations.ts';
import { doneLine, type Output } from '../../output.ts';
import { joinWords, toLine, wrapText } from '../../text/terminal-text.ts';
import { amount, bullet } from '../../validating/findings.ts';
import { filesOfSkill } from '../trigger-set-files.ts';
import { readTriggerSets } from '../trigger-sets.ts';
import { addCases, assertWritable, caseFileOf, type CaseFile } from './case-file.ts';
import { caseKey, proposeCases, type ProposedCase } from './case-finder.ts';

/** The proposals for one skill. */
interface Proposal {
  readonly skill: SkillMetadata;
  readonly file: CaseFile;
  readonly cases: readonly ProposedCase[];
}

/** What happened to the proposals for one skill. */
interface Outcome extends Proposal {
  readonly written: readonly ProposedCase[];
}

/** Refuses options that would have no effect. */
export function assertSuggestOptions({ options }: Invocation): void {
  if (!options.flag('suggest')) {
    if (options.flag('yes'))
      throw usageError('--yes can only be used with --suggest.', ['Remove it, or add --suggest.']);
    return;
  }
  const thresholds = ['threshold', 'skill-threshold', 'max-false-positives'].filter(
    (name) => options.text(name) !== undefined,
  );
  const [given] = options.text('ranker') === 'lexical' ? thresholds : ['ranker'];
  if (given !== undefined)
    throw usageError(`--${given} cannot be used with --suggest, which ranks nothing.`, ['Remove one of them.']);
}

/** Proposes trigger cases from the text of skills. Adds those that the author accepts. */
export async function suggestCases(
  invocation: Invocation,
  skills: readonly SkillMetadata[],
  opened: OpenedSkills,
  isJson: boolean,
): Promise<number> {
  const { context, output, options } = invocation;
  if (skills.length === 0) throw new CliError('NoSkillFound', 'There is no skill to suggest trigger cases for.');
  const proposals: Proposal[] = [];
  for (const skill of skills) proposals.push(await propose(skill, opened));
  const isAsking = context.ask !== undefined && !isJson && !options.flag('yes');
  const outcomes = isAsking
    ? await askForEach(invocation, proposals)
    : proposals.map((proposal) => ({ ...proposal, written: options.flag('yes') ? proposal.cases : [] }));
  const accepted = outcomes.filter(({ written }) => written.length > 0);
  for (const { skill, file } of accepted) assertWritable(file, skill);
  for (const { skill, file, written } of accepted) addCases(file, written, skill);
  if (isJson) output.json(toJson(outcomes));
  else
    output.lines([
      ...(isAsking ? [] : listLines(output, proposals, opened)),
      ...endLines(invocation, outcomes, opened),
    ]);
  return 0;
}

async function propose(skill: SkillMetadata, { manager, snapshot }: OpenedSkills): Promise<Proposal> {
  const { cases } = readTriggerSets(filesOfSkill(skill, snapshot), snapshot);
  const known = new Set(cases.filter((item) => item.skill === skill.name).map(({ query }) => caseKey(query)));
  return { skill, file: caseFileOf(skill), cases: proposeCases(skill, await bodyOf(skill, manager), known) };
}

/** Reads a skill's instructions. If they cannot be loaded, nothing is suggested from them, and `validate` says why. */
async function bodyOf({ name }: SkillMetadata, manager: OpenedSkills['manager']): Promise<string> {
  try {
    return (await manager.loadSkill(name)).content;
  } catch (error) {
    if (SkillwrightError.isInstance(error)) return '';
    throw error;
  } finally {
    manager.clearCache();
  }
}

async function askForEach({ context, output }: Invocation, proposals: readonly Proposal[]): Promise<Outcome[]> {
  let hasStopped = false;
  const outcomes: Outcome[] = [];
  for (const proposal of proposals) {
    const written: ProposedCase[] = [];
    let takesAll = false;
    for (const proposed of proposal.cases) {
      if (hasStopped) break;
      if (!takesAll) {
        output.lines(
          caseLines(
            output,
            proposed,
            `${proposed.shouldTrigger ? 'Should' : 'Should not'} trigger ${proposal.skill.name}: `,
          ),
        );
        const answer = (await context.ask?.('Add it? y yes, a all of this skill, q stop, anything else no: '))?.trim();
        hasStopped = answer === undefined || answer.toLowerCase() === 'q';
        takesAll = answer?.toLowerCase() === 'a';
        if (!takesAll && !isYes(answer)) continue;
      }
      written.push(proposed);
    }
    outcomes.push({ ...proposal, written });
  }
  return outcomes;
}

const ORIGINS: Readonly<Record<ProposedCase['from'], string>> = {
  description: 'from the description',
  when_to_use: 'from when_to_use',
  example: 'from the instructions',
  heading: 'from a heading',
  tags: 'from the tags',
};

function caseLines(output: Output, { query, from }: ProposedCase, before = ''): string[] {
  return bullet(output, `${before}"${query}" (${ORIGINS[from]})`);
}

function listLines(output: Output, proposals: readonly Proposal[], { shown }: OpenedSkills): string[] {
  return proposals
    .filter(({ cases }) => cases.length > 0)
    .flatMap(({ skill, file, cases }) => {
      const place = toLine(shown.path(file.path));
      const group = (title: string, shouldTrigger: boolean): string[] => {
        const own = cases.filter((proposed) => proposed.shouldTrigger === shouldTrigger);
        return own.length === 0
          ? []
          : [output.style('dim', `  ${title}`), ...own.flatMap((proposed) => caseLines(output, proposed))];
      };
      return [
        ...wrapText(`${toLine(skill.name)}: ${amount(cases.length, 'case')} for ${place}`, output.proseColumns),
        ...group('should trigger', true),
        ...group('should not trigger', false),
        '',
      ];
    });
}

function endLines(
  { output, positionals, options }: Invocation,
  outcomes: readonly Outcome[],
  { shown }: OpenedSkills,
): string[] {
  const proposed = outcomes.reduce((sum, { cases }) => sum + cases.length, 0);
  const added = outcomes.filter(({ written }) => written.length > 0);
  if (proposed === 0)
    return wrapText(
      `No new cases: the text of ${amount(outcomes.length, 'skill')} suggests none that the trigger sets do not have.`,
      output.proseColumns,
    );
  if (added.length > 0)
    return added.map(({ file, written }) =>
      doneLine(output, `Added ${amount(written.length, 'case')} to ${toLine(shown.path(file.path))}`),
    );
  if (options.flag('yes')) return ['Nothing was added.'];
  const command = `${PROGRAM} eval --suggest${positionals.length === 0 ? '' : ` ${joinWords(positionals)}`} --yes`;
  return [
    ...wrapText(
      'These are the words of the skills: rewrite them as people would say it, and add near misses.',
      output.proseColumns,
    ),
    'To add them all:',
    `  ${output.style('name', toLine(command))}`,
  ];
}

function toJson(outcomes: readonly Outcome[]): unknown {
  return {
    skills: outcomes.map(({ skill, file, cases, written }) => ({
      name: skill.name,
      file: file.path,
      written: written.length,
      cases: cases.map(({ query, shouldTrigger, from }) => ({ query, should_trigger: shouldTrigger, from })),
    })),
  };
}

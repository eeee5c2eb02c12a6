import type { RankableSkill } from '../../packages/skillwright/src/spec/ranker.ts';
import { createRandom, type Random } from '../random.ts';
import type { LabelledSet, LabelledTask } from './labelled-set.ts';
import { FILLER, type Subject, SUBJECTS } from './vocabulary.ts';

const BODY_LENGTH = 6_000;
/** Skills of one generated group, similar to an installed set. */
const GROUP_SIZE = 64;

interface Combination {
  readonly subject: Subject;
  readonly thing: readonly string[];
  readonly action: readonly string[];
  readonly tool: string;
}

/**
 * Skills made from templates: every combination of a subject's thing, action and tool, repeated with other invented words until
 * there are enough. The same count gives the same skills on every machine.
 */
export function generateSkills(count: number): RankableSkill[] {
  const random = createRandom(4);
  const combinations = listCombinations();
  const invented = inventWords(random, Math.max(2_000, count * 5));
  return Array.from({ length: count }, (_, index) => {
    const combination = combinations[index % combinations.length] as Combination;
    return writeSkill(combination, index, combinations.length, invented, random);
  });
}

/** A set with one task for each skill of the first round, phrased in synonyms of the skill's own words if there are any. */
export function generateLabelledSet(): LabelledSet {
  const combinations = listCombinations();
  const random = createRandom(5);
  const skills = generateSkills(combinations.length);
  const tasks = combinations.map((combination, index) => writeTask(combination, skills[index]?.id ?? '', random));
  return { name: 'generated', skills, tasks, sourceOf: (id) => id.slice(0, id.lastIndexOf(':')) };
}

/** A task for each of the first skills, to measure speed. */
export function generateTasks(count: number): string[] {
  const { tasks } = generateLabelledSet();
  return Array.from({ length: count }, (_, index) => tasks[(index * 7) % tasks.length]?.text ?? '');
}

function listCombinations(): Combination[] {
  return SUBJECTS.flatMap((subject) =>
    subject.tools.flatMap((tool) =>
      subject.things.flatMap((thing) => subject.actions.map((action) => ({ subject, thing, action, tool }))),
    ),
  );
}

function writeSkill(
  { subject, thing, action, tool }: Combination,
  index: number,
  round: number,
  invented: readonly string[],
  random: Random,
): RankableSkill {
  const words = `${action[0]} ${thing[0]} with ${tool}`;
  const slug = words.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const name = index < round ? slug : `${slug}-${pickRare(invented, random)}`;
  const marks = Array.from({ length: 5 }, (_, at) => invented[(index * 5 + at) % invented.length] ?? '');
  const sentence = `${capitalise(action[0] ?? '')} a ${thing[0]} using ${tool}. Use when the ${thing[1]} has to be handled in ${subject.area} work`;
  return {
    id: `${subject.area}-${Math.floor(index / GROUP_SIZE)}:${name}`,
    name,
    description: index < round ? `${sentence}.` : `${sentence}, for ${marks.slice(0, 2).join(' and ')}.`,
    tags: [subject.area, tool.toLowerCase()],
    body: writeBody(words, [...thing, ...action, tool, ...marks], invented, random),
  };
}

function writeBody(title: string, own: readonly string[], invented: readonly string[], random: Random): string {
  const parts = [`# ${capitalise(title)}\n`];
  let length = 0;
  while (length < BODY_LENGTH) {
    const part = random.chance(0.12)
      ? `\n## ${capitalise(random.pick(own))}\n`
      : `${random.pick(FILLER)} Use ${random.pick(own)} with \`${pickRare(invented, random)}\` and ${pickRare(invented, random)}.`;
    parts.push(part);
    length += part.length;
  }
  return parts.join('\n').slice(0, BODY_LENGTH);
}

/** Words with a realistic frequency: a few very often, most hardly ever. */
function pickRare(words: readonly string[], random: Random): string {
  return words[Math.floor(words.length ** random.next()) - 1] ?? words[0] ?? '';
}

function writeTask({ thing, action, tool }: Combination, relevant: string, random: Random): LabelledTask {
  const other = (words: readonly string[]): string => words[random.between(1, words.length - 1)] ?? '';
  const withTool = random.chance(0.7) ? ` We are on ${tool}.` : '';
  const request = random.pick(['Can you', 'I need to', 'Please', 'How do I']);
  const text = `${request} ${random.chance(0.5) ? other(action) : action[0]} the ${other(thing)}?${withTool}`;
  return {
    text,
    relevant: [relevant],
    nearMisses: [],
    source: relevant.slice(0, relevant.lastIndexOf(':')),
    mentionsName: false,
  };
}

function inventWords(random: Random, count: number): string[] {
  const syllables = 'ba ce di fo gu ka le mi no pu ra se ti vo xu za bri clo dra fle gri plo sta tru'.split(' ');
  return Array.from({ length: count }, () =>
    Array.from({ length: random.between(2, 4) }, () => random.pick(syllables)).join(''),
  );
}

function capitalise(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

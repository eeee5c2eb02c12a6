import { findExplicitCommands } from '../../select/named/explicit-command.ts';
import { createRanker } from '../../select/ranking/create-ranker.ts';
import type { Task } from './task/task.ts';
import type { Conversation, OfferedTool } from './formats/conversation.ts';
import { listOf, recordOf, textOf } from './formats/json-values.ts';

export interface OfferedSkill {
  readonly name: string;
  readonly description: string;
}

const MAX_LISTING = 500_000;
const MAX_LINE = 10_000;
const MIN_CONFIDENCE = 0.04;
const HEADING = /^#{1,6}\s*available skills\s*$/i;
/** `### name`, with the description below, or `- name: description`, in bold or as code. */
const HEADED = /^###\s+(\S.*)$/;
const LISTED =
  /^[-*] +[*`]{0,3}([\p{L}\p{N}][\p{L}\p{N}_.:-]{0,127}?)[*`]{0,3} ?(?:: |:$|:[*`]| [–—-] )[*`]{0,3}(.*)$/u;

/** The skills that a request offers: those that `load_skill` accepts, and those that the system text lists. */
export function offeredSkills({ system, tools }: Pick<Conversation, 'system' | 'tools'>): readonly OfferedSkill[] {
  const start = system.search(/^#{1,6}[ \t]*available skills[ \t]*$/im);
  const listed = start === -1 ? [] : readListing(system.slice(start, start + MAX_LISTING));
  const byName = new Map(listed.map((skill) => [skill.name, skill]));
  const named = namesIn(tools.find(({ name }) => name === 'load_skill'));
  if (named.length > 0) return named.map((name) => byName.get(name) ?? { name, description: '' });
  return [...byName.values()];
}

function namesIn(tool: OfferedTool | undefined): readonly string[] {
  const { properties } = recordOf(tool?.schema);
  return listOf(recordOf(recordOf(properties).skill).enum).filter((name) => typeof name === 'string');
}

/** A skill whose instructions are already in the system text; the first, if there are several. */
export function givenSkill(system: string): { readonly name: string; readonly text: string } | undefined {
  const [heading, name] = /^## Skill: (.+)$/m.exec(system) ?? [];
  if (heading === undefined || name === undefined) return undefined;
  const [text = ''] = system.slice(system.indexOf(heading) + heading.length).split(/^## Skill: /m, 1);
  return { name, text: text.trim() };
}

/** Reads listed skills, up to the heading of another section. */
export function readListing(text: string): readonly OfferedSkill[] {
  const skills: OfferedSkill[] = [];
  for (const whole of text.split(/\r?\n/)) {
    const line = whole.slice(0, MAX_LINE);
    if (/^#{1,2}\s/.test(line) && !HEADING.test(line)) break;
    const name = HEADED.exec(line)?.[1]?.trim();
    const [, item, description] = name === undefined ? (LISTED.exec(line) ?? []) : [];
    const last = skills.at(-1);
    if (name !== undefined) skills.push({ name, description: '' });
    else if (item !== undefined) skills.push({ name: item, description: textOf(description).trim() });
    else if (last?.description === '') skills[skills.length - 1] = { ...last, description: line.trim() };
  }
  return skills;
}

/** The skill that a task names, or else the best match; `undefined` if none matches. */
export function chooseSkill(task: Task, skills: readonly OfferedSkill[]): OfferedSkill | undefined {
  const byName = new Map(skills.map((skill) => [skill.name.toLowerCase(), skill]));
  const [command] = findExplicitCommands(task.words, (name) => byName.get(name.toLowerCase()));
  const named = command === undefined ? mentioned(task, byName) : byName.get(command.name.toLowerCase());
  return named ?? fittingSkill(task, skills);
}

/** The words of the task decide which skills match; the kinds of its values also help to rank them. */
function fittingSkill({ words, subject }: Task, skills: readonly OfferedSkill[]): OfferedSkill | undefined {
  const ranker = createRanker(skills.map(({ name, description }) => ({ id: name, name, description })));
  const options = { limit: Math.max(1, skills.length), threshold: 0 };
  const bySubject = new Map(ranker.rank(subject, options).map(({ id, confidence }) => [id, confidence]));
  const fits = ranker
    .rank(words, options)
    .map(({ id, confidence }) => ({ id, confidence: confidence + (bySubject.get(id) ?? 0) }))
    .toSorted((a, b) => b.confidence - a.confidence);
  const best = fits.find(({ confidence }) => confidence >= MIN_CONFIDENCE);
  return skills.find(({ name }) => name === best?.id);
}

/** A name of several parts is not an ordinary word: wherever it appears, it means the skill. */
function mentioned({ words }: Task, byName: ReadonlyMap<string, OfferedSkill>): OfferedSkill | undefined {
  const said = words.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_:-]*/gu) ?? [];
  const name = said.find((word) => /[_:-]/.test(word) && byName.has(word));
  return name === undefined ? undefined : byName.get(name);
}

import { isReservedName } from '../../agent/offer/meta-tools.ts';
import { fillArguments } from './task/arguments.ts';
import { fillCommand } from './task/commands.ts';
import type { Instructions } from './task/instructions.ts';
import { wordsOf, type Task } from './task/task.ts';
import type { OfferedTool } from './formats/conversation.ts';
import type { JsonRecord } from './formats/json-values.ts';

/** A call that the instructions suggest, with the arguments that the task provides. */
export interface Candidate {
  readonly name: string;
  readonly arguments: JsonRecord;
  /** A description of the tool or script, for a sentence. */
  readonly title: string;
  /** The name of the tool, or of the script's file without its extension. */
  readonly label: string;
  readonly missing: readonly string[];
  /** How many of the task's values the call does not use. */
  readonly left: number;
  /** The text that is compared with the task. */
  readonly about: string;
}

const MAX_ABOUT = 2_000;
/** Words that occur in every task. */
const EMPTY_WORDS = new Set(
  'a an and are as at be by can do doe for from give has have how i in is it many me much my of on or please s that the thi to wa what when which who will with you your'.split(
    ' ',
  ),
);

/** The calls that a skill's instructions name: tools first, then scripts, each in the order of the text. */
export function candidatesOf(
  instructions: Instructions,
  tools: readonly OfferedTool[],
  task: Task,
): readonly Candidate[] {
  const has = (tool: string): boolean => tools.some(({ name }) => name === tool);
  const { skill, text, withheld } = instructions;
  return [
    ...toolCandidates(text, tools, task),
    ...(has('use_skill') ? toolCandidates(text, withheld, task).map((found) => passedOn(skill, found)) : []),
    ...(has('use_skill') ? scriptCandidates(instructions, task) : []),
  ];
}

function passedOn(skill: string, candidate: Candidate): Candidate {
  const values = { skill, tool: candidate.name, arguments: JSON.stringify(candidate.arguments) };
  return { ...candidate, name: 'use_skill', arguments: values };
}

/** Tools that a text mentions. */
export function toolCandidates(text: string, tools: readonly OfferedTool[], task: Task): readonly Candidate[] {
  const named = tools.filter(({ name }) => !isReservedName(name) && isNamed(name, text));
  return named
    .toSorted((a, b) => text.indexOf(a.name) - text.indexOf(b.name))
    .map(({ name, description, schema }) => {
      const { values, missing, left } = fillArguments(schema, task);
      const about = [description, ...text.split('\n').filter((line) => line.includes(name))].join('\n');
      const title = `tool \`${name}\``;
      return { name, arguments: values, title, label: name, missing, left, about: about.slice(0, MAX_ABOUT) };
    });
}

/** A plain word counts as a tool's name only in code; other names count wherever they stand alone. */
function isNamed(name: string, text: string): boolean {
  if (name === '') return false;
  if (/^[a-z]+$|^[A-Z][a-z]*$/.test(name)) return text.includes(`\`${name}\``);
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    if (!/[\w-]/.test(text.charAt(at - 1) + text.charAt(at + name.length))) return true;
  }
  return false;
}

function scriptCandidates({ skill, files, commands }: Instructions, task: Task): readonly Candidate[] {
  return commands.map((command) => {
    const { args, missing, left } = fillCommand(command, files, task);
    const { script, about } = command;
    const title = `script \`${script}\``;
    const label = script.replace(/^.*\//, '').replace(/\.\w+$/, '');
    return { name: 'use_skill', arguments: { skill, script, args }, title, label, missing, left, about };
  });
}

export type Choice =
  | { readonly type: 'call'; readonly candidate: Candidate }
  /** The best candidate cannot be called: the task lacks a required argument. */
  | { readonly type: 'lacks'; readonly candidate: Candidate }
  | { readonly type: 'none' };

/**
 * The call that uses most of the task's values. Ties go to the one with the best matching words, and to tools before
 * scripts. A call that uses no value of the task is chosen only if no other fits better.
 */
export function chooseCandidate(candidates: readonly Candidate[], task: Task): Choice {
  const wanted = new Set(wordsOf(task.words).filter(isTelling));
  const scores = new Map(candidates.map((candidate) => [candidate, scoreOf(candidate, wanted)]));
  const score = (candidate: Candidate): number => scores.get(candidate) ?? 0;
  const byScore = candidates.toSorted((a, b) => score(b) - score(a));
  const [best] = byScore;
  if (best === undefined) return { type: 'none' };
  const kind = ({ name, arguments: { script } }: Candidate): number =>
    name === 'use_skill' && script !== undefined ? 1 : 0;
  const [chosen] = byScore
    .filter(({ missing }) => missing.length === 0)
    .toSorted((a, b) => a.left - b.left || kind(a) - kind(b));
  if (chosen === undefined) return { type: 'lacks', candidate: best };
  const given = task.texts.length + task.files.length + task.dates.length;
  const isIdle = chosen.left === given && best.missing.length > 0 && score(best) > score(chosen);
  return isIdle ? { type: 'lacks', candidate: best } : { type: 'call', candidate: chosen };
}

/**
 * The share of the wanted words that the candidate contains, plus half the share of its name's words that are wanted.
 */
function scoreOf({ label, about }: Candidate, wanted: ReadonlySet<string>): number {
  const names = wordsOf(label).filter(isTelling);
  const spoken = new Set([...names, ...wordsOf(about)]);
  return shareOf([...wanted], spoken) + shareOf(names, wanted) / 2;
}

function shareOf(words: readonly string[], known: ReadonlySet<string>): number {
  return words.length === 0 ? 0 : words.filter((word) => known.has(word)).length / words.length;
}

/** Whether a word says something about the task. */
export function isTelling(word: string): boolean {
  return !EMPTY_WORDS.has(word) && !/^\d+$/.test(word);
}

import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type McpServer,
  type Prompt,
  type PromptArgument,
} from '@modelcontextprotocol/server';
import { joinWords } from '../../parse/shell-words.ts';
import { listedDescription, listedName } from '../../select/listing/listing-text.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ServedSkills } from './served-skills.ts';
import type { ToolCalls } from './tool-calls.ts';

/** The name of the only argument of a prompt whose skill does not name its arguments. */
const WHOLE = 'arguments';
/** The protocol's limit of completions in one result. */
const MAX_COMPLETIONS = 100;
/** Limits names in messages, because a client may send a name of any length. */
const MAX_NAME = 200;

/** Answers for the skills that a user may invoke: each is a prompt, whose text is the skill's instructions. */
export function answerPrompts({ server }: McpServer, skills: ServedSkills, calls: ToolCalls): void {
  const find = (name: string): SkillMetadata => {
    const skill = skills.invocable().find((candidate) => listedName(candidate) === name);
    if (skill !== undefined) return skill;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt '${name.slice(0, MAX_NAME)}'.`);
  };

  server.setRequestHandler('prompts/list', () => ({ prompts: skills.invocable().flatMap(toPrompt) }));

  server.setRequestHandler('prompts/get', async ({ params }): Promise<GetPromptResult> => {
    const skill = find(params.name);
    const text = await skills.instructions(skill, writtenArguments(skill, params.arguments ?? {}));
    const note = await calls.activate(skill);
    const whole = note === undefined ? text : `${text.trimEnd()}\n\n${note}\n`;
    return {
      description: listedDescription(skill),
      messages: [{ role: 'user', content: { type: 'text', text: whole } }],
    };
  });

  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
    const skill = ref.type === 'ref/prompt' ? find(ref.name) : undefined;
    const fitting =
      skill === undefined ? [] : choicesOf(skill, argument.name).filter((choice) => choice.startsWith(argument.value));
    const values = fitting.slice(0, MAX_COMPLETIONS);
    return { completion: { values, total: fitting.length, hasMore: values.length < fitting.length } };
  });
}

/** A skill whose name cannot be shown is not a prompt. */
function toPrompt(skill: SkillMetadata): Prompt[] {
  const name = listedName(skill);
  return name === undefined ? [] : [{ name, description: listedDescription(skill), arguments: argumentsOf(skill) }];
}

function argumentsOf(skill: SkillMetadata): PromptArgument[] {
  const { arguments: names, argumentHint } = skill;
  if (names !== undefined && names.length > 0) return names.map((name) => ({ name, required: false }));
  return [{ name: WHOLE, description: argumentHint ?? 'What the skill should work on', required: false }];
}

/** The arguments as a user would write them after the skill's name: named ones in their order. */
function writtenArguments({ arguments: names = [] }: SkillMetadata, given: Readonly<Record<string, string>>): string {
  if (names.length === 0) return given[WHOLE] ?? '';
  const values = names.map((name) => (Object.hasOwn(given, name) ? (given[name] ?? '') : ''));
  const last = values.findLastIndex((value) => value !== '');
  return joinWords(values.slice(0, last + 1));
}

const GROUP = /[[<]([^[\]<>]{1,500})[\]>]/g;

/** The values that a skill's hint offers for an argument: `staging` and `production` for `[env: staging|production]`. */
function choicesOf({ arguments: names = [], argumentHint = '' }: SkillMetadata, argument: string): string[] {
  const groups = [...argumentHint.matchAll(GROUP)].map(([, inside = '']) => inside);
  const place = names.length === 0 ? groups.findIndex(isChoice) : names.indexOf(argument);
  const group = groups[place] ?? '';
  return isChoice(group)
    ? group
        .replace(/^[^|:=]*[:=]/, '')
        .split('|')
        .map((choice) => choice.trim())
        .filter((choice) => choice !== '')
    : [];
}

function isChoice(group: string): boolean {
  return group.includes('|');
}

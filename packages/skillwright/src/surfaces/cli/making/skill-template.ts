import { triggerSet } from './trigger-set.ts';
import { NOTES_QUERIES, notesSkill } from './notes-skill.ts';
import { DICE_QUERIES, diceManifest, diceScript, diceSkill, type ToolLanguage } from './dice-skill.ts';

/** What a new skill is to have. */
export interface SkillWish {
  /** Follows the naming rules of skills. */
  readonly name: string;
  /** The language of its tool; without one it has instructions alone. */
  readonly tool: ToolLanguage | undefined;
  readonly hasEvals: boolean;
}

/** A new skill as files, and how to try it. */
export interface SkillTemplate {
  readonly toolName: string | undefined;
  /** Content by path relative to the skill. */
  readonly files: Readonly<Record<string, { readonly text: string; readonly isProgram: boolean }>>;
  /** A task that the skill is for. */
  readonly task: string;
}

/** A small skill that works as it is, to be changed into another. */
export function skillTemplate({ name, tool, hasEvals }: SkillWish): SkillTemplate {
  const queries = tool === undefined ? NOTES_QUERIES : DICE_QUERIES;
  const toolName = tool === undefined ? undefined : toolNameOf(name);
  const files: [string, string, boolean][] = [
    ['SKILL.md', toolName === undefined ? notesSkill(name) : diceSkill(name, toolName), false],
  ];
  if (tool !== undefined && toolName !== undefined) {
    const script = diceScript(tool);
    files.push(
      ['tools.json', diceManifest(toolName, script.path), false],
      [script.path, script.text, script.isProgram],
    );
  }
  if (hasEvals) files.push(['evals/triggers.json', triggerSet(queries), false]);
  return {
    toolName,
    files: Object.fromEntries(files.map(([path, text, isProgram]) => [path, { text, isProgram }])),
    task: queries.should[0],
  };
}

const MAX_TOOL_NAME = 60;

/** `roll-dice` → `roll_dice`. Tools have fewer letters to be named with than skills. */
function toolNameOf(skill: string): string {
  const words = skill.match(/[a-z0-9]+/g)?.join('_') ?? 'tool';
  return (/^[a-z]/.test(words) ? words : `tool_${words}`).slice(0, MAX_TOOL_NAME);
}

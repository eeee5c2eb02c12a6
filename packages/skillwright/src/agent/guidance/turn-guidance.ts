import { describeThrown } from '../../process/handler-answer.ts';
import { presentSkill } from '../../parse/skill/skill-presentation.ts';
import { estimateTokens, type CountTokens } from '../../select/listing/token-estimate.ts';
import type { TriggerContext } from '../../select/triggers/trigger-context.ts';
import type { FoundSkill, InstructingSkill, SkillFinder } from '../recovery/guidance.ts';
import { createSkillTraces, type TraceSource } from '../traces/turn-traces.ts';
import { untilAborted } from '../until-aborted.ts';

export interface TurnGuidanceOptions extends TraceSource, SkillFinder {
  /** Loads the skills that a step requires and keeps the loaded skills. Default: calls `load` for each skill. */
  readonly preload?: ((names: readonly string[]) => Promise<readonly InstructingSkill[]>) | undefined;
  /** The value of `${CLAUDE_PROJECT_DIR}`. */
  readonly projectDir: string;
  /** The value of `${CLAUDE_SESSION_ID}`. Default: the placeholder stays. */
  readonly sessionId?: string | undefined;
  /**
   * Whether the model can run a skill with `context: fork` in a separate agent. If so, the model is told to do that
   * instead of getting the skill's instructions. Default false.
   */
  readonly canFork?: boolean | undefined;
  /** The most skills that are added for one task, best match first. Default 1. */
  readonly maxTaskSkills?: number | undefined;
  /** Counts the tokens of a text. Default: an estimate. */
  readonly countTokens?: CountTokens | undefined;
}

interface InjectionOptions {
  /** More fields for the trigger's context, such as `projectId` or `files`. */
  readonly context?: TriggerContext | undefined;
  /** Names of skills that are left out, because an earlier call already added them. Default none. */
  readonly without?: readonly string[] | undefined;
  /** Stops waiting for skills when this signal aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** Instructions of skills for the system text of one turn. */
export interface InjectedSkills {
  /** The instructions; `''` when no skill fits. */
  readonly text: string;
  /** Names of the skills in `text`. */
  readonly skills: readonly string[];
  /** Why some skills are missing from `text` or cut. */
  readonly problem?: string | undefined;
}

/**
 * Finds, loads and renders the skills that belong to a moment of a conversation. The result is for the current turn
 * only: nothing is remembered, and another call finds the same skills again. Only `forRequired` rejects, with the
 * loader's error: a step that requires a missing skill is a mistake of the program.
 */
export interface TurnGuidance {
  /** Skills that fit a task: the trigger `task_match`. */
  forTask(task: string, options?: InjectionOptions): Promise<InjectedSkills>;
  /** Skills that ask to be added in every turn: the trigger `turn_start`. */
  forTurn(turnIndex: number, messages: readonly unknown[], options?: InjectionOptions): Promise<InjectedSkills>;
  /** Skills that the user's message names, with the arguments from the message: the trigger `explicit_command`. */
  forCommand(command: string, options?: InjectionOptions): Promise<InjectedSkills>;
  /** Skills for any other trigger. */
  forTrigger(trigger: string, context: TriggerContext, options?: InjectionOptions): Promise<InjectedSkills>;
  /** Skills that a step requires by name. */
  forRequired(names: readonly string[], options?: InjectionOptions): Promise<InjectedSkills>;
}

/** The trigger that traces report for a step's `requiredSkills`. */
const REQUIRED = 'required_skills';
const MAX_SKILL_TOKENS = 5_000;
const MAX_TOKENS = 25_000;
const DEFAULT_TASK_SKILLS = 1;
/** The most skills that one trigger may add. */
const MAX_SKILLS = 8;
const NOTHING: InjectedSkills = { text: '', skills: [] };

/** A skill that will be added. */
interface Chosen {
  readonly skill: InstructingSkill;
  readonly match: Pick<FoundSkill, 'name' | 'qualifiedName' | 'reasons' | 'commandArguments'> & {
    readonly score: number | null;
  };
}

export function createTurnGuidance(options: TurnGuidanceOptions): TurnGuidance {
  const { find, load, preload, countTokens = estimateTokens } = options;
  const traces = createSkillTraces(options);

  const write = (trigger: string, context: TriggerContext, chosen: readonly Chosen[]): InjectedSkills => {
    const parts: string[] = [];
    const skills: string[] = [];
    let left = MAX_TOKENS;
    for (const { skill, match } of chosen) {
      const room = Math.min(left, MAX_SKILL_TOKENS);
      const said = isToFork(skill, trigger, options)
        ? loadAdvice(match)
        : present(skill, match.commandArguments ?? '', options);
      const whole = `## Skill: ${match.name}\n\n${said}`;
      const text = cutToTokens(whole, room, countTokens);
      if (text === '') break;
      left -= countTokens(text);
      parts.push(text);
      skills.push(match.name);
      traces.skill({ ...match, trigger, context, text });
    }
    return { text: parts.join('\n\n'), skills };
  };

  const choose = async (trigger: string, context: TriggerContext, { without, limit }: Choice) => {
    const matches = await find(trigger, context);
    const wanted = matches.filter(({ name }) => without?.includes(name) !== true).slice(0, limit);
    const chosen: Chosen[] = [];
    let problem: string | undefined;
    for (const match of wanted) {
      try {
        chosen.push({ match, skill: await load(match.qualifiedName) });
      } catch (error) {
        problem ??= describeThrown(error).message;
      }
    }
    return { chosen, problem };
  };

  const inject = async (
    trigger: string,
    fired: TriggerContext,
    { context: more, without, signal }: InjectionOptions = {},
    limit: number = MAX_SKILLS,
  ): Promise<InjectedSkills> => {
    const context = { ...more, ...fired };
    try {
      const found = await untilAborted(() => choose(trigger, context, { without, limit }), signal);
      if (found.isAborted) return NOTHING;
      const { chosen, problem } = found.value;
      return { ...write(trigger, context, chosen), ...(problem === undefined ? {} : { problem }) };
    } catch (error) {
      return { ...NOTHING, problem: describeThrown(error).message };
    }
  };

  return {
    forTask: (task, given) =>
      inject('task_match', { taskDescription: task }, given, options.maxTaskSkills ?? DEFAULT_TASK_SKILLS),
    forTurn: (turnIndex, messages, given) => inject('turn_start', { turnIndex, messages }, given),
    forCommand: (command, given) => inject('explicit_command', { command }, given),
    forTrigger: (trigger, context, given) => inject(trigger, context, given),
    async forRequired(names, { without, signal } = {}) {
      const wanted = names.filter((name) => without?.includes(name) !== true);
      const all = preload ?? ((list: readonly string[]) => Promise.all(list.map(load)));
      const loaded = await untilAborted(() => all(wanted), signal);
      if (loaded.isAborted) return NOTHING;
      const reasons = ['the step requires it'];
      const chosen = loaded.value.map((skill) => ({
        skill,
        match: { name: skill.metadata.name, qualifiedName: skill.metadata.qualifiedName, score: null, reasons },
      }));
      return write(REQUIRED, { requiredSkills: wanted }, chosen);
    },
  };
}

interface Choice {
  readonly without: readonly string[] | undefined;
  readonly limit: number;
}

/**
 * Skills that the model may not load, and skills that a step requires, are added in full even if they ask to be forked.
 */
function isToFork({ metadata }: InstructingSkill, trigger: string, { canFork = false }: TurnGuidanceOptions): boolean {
  return canFork && metadata.context === 'fork' && !metadata.disableModelInvocation && trigger !== REQUIRED;
}

function loadAdvice({ qualifiedName, commandArguments = '' }: Chosen['match']): string {
  const given = { skill: qualifiedName, ...(commandArguments === '' ? {} : { arguments: commandArguments }) };
  return `This skill works in an agent of its own. To use it, call load_skill with ${JSON.stringify(given)}.`;
}

/** Renders a skill in the same form as `load_skill`. */
function present(
  { metadata, body }: InstructingSkill,
  args: string,
  { projectDir, sessionId }: TurnGuidanceOptions,
): string {
  return presentSkill(body, metadata, { arguments: args, projectDir, sessionId }).trimEnd();
}

const CUT_NOTE = '\n\n[shortened: load the skill for the rest]';

/** The start of a text that fits a number of tokens, cut at a line break if possible; `''` if there is no room. */
function cutToTokens(text: string, maxTokens: number, countTokens: CountTokens): string {
  if (countTokens(text) <= maxTokens) return text;
  const room = maxTokens - countTokens(CUT_NOTE);
  if (room <= 0) return '';
  // Four characters per token is close for most texts. Texts with shorter tokens are cut further, step by step.
  let length = Math.min(text.length, room * 4);
  while (length > 0 && countTokens(text.slice(0, length)) > room) length = Math.floor(length * 0.9);
  const start = text.slice(0, length).toWellFormed();
  const line = start.lastIndexOf('\n');
  return `${line > length / 2 ? start.slice(0, line) : start}${CUT_NOTE}`;
}

interface InjectionPlan {
  /** The user's message; `''` if it is not known. */
  readonly words: string;
  /** Whether the skill that fits the task is added automatically. */
  readonly taskMatch: boolean;
  /** Names of the skills that the step requires. */
  readonly required: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * System text for each round of one turn: the skills that the step requires, the skills that the user named, the skills
 * that fit the task, and the `turn_start` skills. Each skill appears once.
 */
export function planInjections(
  guidance: TurnGuidance,
  { words, taskMatch, required, signal }: InjectionPlan,
): (round: number, messages: readonly unknown[]) => Promise<string> {
  let opening: Promise<readonly InjectedSkills[]> | undefined;

  const open = async (): Promise<readonly InjectedSkills[]> => {
    const all: InjectedSkills[] = [];
    const without = (): readonly string[] => all.flatMap(({ skills }) => skills);
    if (required.length > 0) all.push(await guidance.forRequired(required, { signal }));
    if (words !== '') all.push(await guidance.forCommand(words, { without: without(), signal }));
    if (words !== '' && taskMatch) all.push(await guidance.forTask(words, { without: without(), signal }));
    return all;
  };

  return async (round, messages) => {
    opening ??= open();
    const begun = await opening;
    const without = begun.flatMap(({ skills }) => skills);
    const turn = await guidance.forTurn(round, messages, { without, signal });
    return [...begun, turn].flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n');
  };
}

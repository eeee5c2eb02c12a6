import { randomUUID } from 'node:crypto';
import { refusedOutcome, textOutcome, type ToolOutcome } from '../../agent/tools/tool-outcome.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { createActivations, IDLE_MS, type ActivationOptions, type Activations } from './activations.ts';
import {
  activeSkill,
  isRestricting,
  type ServedCall,
  type ServedConversation,
  type ServedSkills,
} from './served-skills.ts';

/** The names of the arguments that this server adds to tools. */
export const ACTIVATION = 'activation';
export const END = 'end';

type Arguments = Readonly<Record<string, unknown>>;

/** One client's calls. It remembers which skill is active, if it has a connection to remember it for. */
export interface ToolCalls {
  call(name: string, args: Arguments, options: ServedCall): Promise<ToolOutcome>;
  /**
   * Makes a skill active that the user invoked. Returns the note about this that the instructions must give the model.
   */
  activate(skill: SkillMetadata): Promise<string | undefined>;
}

/** Answers the calls of one caller's clients. */
export interface CallDesk {
  /** The calls of one connection, during which a loaded skill stays active. */
  connect(): ToolCalls;
  /** Calls without a connection: a client passes the activation that `load_skill` returned with each call. */
  readonly stateless: ToolCalls;
}

export function createCallDesk(skills: ServedSkills, options: ActivationOptions = {}): CallDesk {
  return {
    connect: () => connectedCalls(skills, options),
    stateless: statelessCalls(skills, createActivations(skills, options)),
  };
}

/** The server remembers the active skill of a connection. If the skill changes, its new restrictions apply. */
function connectedCalls(skills: ServedSkills, { now = () => performance.now() }: ActivationOptions): ToolCalls {
  const id = randomUUID();
  let current: { readonly skill: string; used: number } | undefined;

  const inCurrent = async (run: (conversation: ServedConversation) => Promise<ToolOutcome>): Promise<ToolOutcome> => {
    if (current !== undefined && now() - current.used > IDLE_MS) current = undefined;
    const active = current;
    const touch = (): void => {
      if (active !== undefined) active.used = now();
    };
    touch();
    return run(skills.begin({ id, active: active?.skill })).finally(touch);
  };

  return {
    async call(name, args, options) {
      if (name !== 'load_skill') return inCurrent((conversation) => conversation.execute(name, args, options));
      const { [END]: isEnd, ...rest } = args;
      if (isEnd === true) {
        const wasActive = current !== undefined;
        current = undefined;
        return endOutcome(wasActive);
      }
      const { outcome, record } = await load(skills, rest, options);
      if (record !== undefined) current = { skill: record.metadata.qualifiedName, used: now() };
      return outcome;
    },
    async activate({ qualifiedName }) {
      current = { skill: qualifiedName, used: now() };
      return undefined;
    },
  };
}

/**
 * Calls without a connection. `load_skill` returns a handle for the active skill, and the client passes it with each
 * later call.
 */
function statelessCalls(skills: ServedSkills, activations: Activations): ToolCalls {
  const loadFor = async (handle: unknown, args: Arguments, options: ServedCall): Promise<ToolOutcome> => {
    const { [END]: isEnd, ...rest } = args;
    const end = (): boolean => typeof handle === 'string' && activations.end(handle);
    if (isEnd === true) return endOutcome(end());
    const { outcome, record } = await load(skills, rest, options);
    if (record === undefined) return outcome;
    end();
    const note = await activate(record.metadata);
    return note === undefined
      ? outcome
      : { ...textOutcome(`${outcome.text.trimEnd()}\n\n${note}\n`), loaded: outcome.loaded };
  };
  const activate = async (skill: SkillMetadata): Promise<string | undefined> => {
    const record = skills.begin().snapshot.find(skill.qualifiedName);
    return record === undefined || !isRestricting(skill) ? undefined : activationNote(await activations.begin(record));
  };

  return {
    activate,
    async call(name, args, options) {
      const { [ACTIVATION]: given, ...others } = args;
      if (name === 'load_skill') return loadFor(given, others, options);
      if (given === undefined || ownsActivation(skills.begin().definitions, name))
        return skills.begin().execute(name, args, options);
      const handle = typeof given === 'string' ? given : '';
      const found = await activations.open(handle);
      if (!found.ok) return refusedOutcome('InvalidArguments', found.sentence);
      return found.conversation.execute(name, others, options).finally(() => activations.touch(handle));
    },
  };
}

/** Loads a skill in a conversation of its own, so that the whole text is returned. */
async function load(
  skills: ServedSkills,
  args: Arguments,
  options: ServedCall,
): Promise<{ readonly outcome: ToolOutcome; readonly record: SkillRecord | undefined }> {
  const conversation = skills.begin();
  const outcome = await conversation.execute('load_skill', args, options);
  return { outcome, record: outcome.isError ? undefined : activeSkill(conversation) };
}

/** Whether a skill's own tool has an argument of this name, which then belongs to the tool. */
export function ownsActivation(definitions: readonly ToolDefinition[], name: string): boolean {
  return definitions.some((tool) => tool.name === name && Object.hasOwn(tool.inputSchema.properties, ACTIVATION));
}

function endOutcome(wasActive: boolean): ToolOutcome {
  return textOutcome(wasActive ? 'The skill is no longer active.' : 'No skill was active.');
}

/**
 * Tells the model the activation's handle. The note is in the text of the instructions, the only place that every
 * client surely shows its model.
 */
function activationNote(handle: string): string {
  return (
    `This skill limits the tools that may be called while you follow it. Pass activation: "${handle}" with every ` +
    `call of a tool of this server. When you are done, call load_skill with end: true and this activation.`
  );
}

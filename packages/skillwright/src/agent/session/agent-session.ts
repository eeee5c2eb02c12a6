import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import {
  createRestrictions,
  type Restrictions,
  type SkillScope,
  type ToolRestrictionMode,
} from '../../policy/restriction/restriction.ts';
import { estimateTokens, type CountTokens } from '../../select/listing/token-estimate.ts';
import { type ToolRestrictionError, SkillwrightError } from '../../spec/errors/error.ts';
import type { SkillMetadata } from '../../spec/skill.ts';

/** The state of one conversation. Conversations share no state. */
export interface AgentSession {
  readonly id: string;
  /** The tenant that owns the conversation's runs: tenants never share warm workers. */
  readonly tenant: string;
  /** The skills that existed when the conversation began. */
  readonly snapshot: Snapshot;
  /** Names of the skills whose instructions are in the conversation. */
  readonly loaded: readonly string[];
  /** Names of the active skills: those loaded since the user's last message. */
  readonly active: readonly string[];
  /**
   * Records a load and makes the skill active. `isRepeated`: the same text was loaded before. For a skill that was
   * restored by name, the earlier text is unknown, so a load without arguments counts as repeated.
   */
  load(
    skill: SkillMetadata,
    text: string,
    options?: { readonly isPlain?: boolean | undefined },
  ): { readonly isRepeated: boolean };
  /** Throws `ToolRestrictionError` when the active skills do not allow a tool. `owner` is the skill that has it. */
  assertAllowed(tool: string, input?: Readonly<Record<string, unknown>>, owner?: string): void;
  /** The host removed the instructions from the history: the next load returns them in full. */
  forget(skill: string): void;
  /**
   * The instructions of the loaded skills within these limits, last loaded first. Call this when the host drops the
   * history that contains them, and put the result in its place. Skills that do not fit whole are forgotten.
   */
  protect(options?: ProtectOptions): string;
  /**
   * The text that `protect` last returned; `''` before the first call. `runAgent` adds this text to the system text.
   */
  readonly kept: string;
  /** The user sends a message: skills are no longer active. */
  endTurn(): void;
}

interface AgentSessionOptions {
  readonly id: string;
  readonly tenant?: string | undefined;
  readonly snapshot: Snapshot;
  readonly mode: ToolRestrictionMode;
  readonly onDenied?: ((error: ToolRestrictionError) => void) | undefined;
  /** Qualified names of skills that the conversation had loaded before, most recent last. Default none. */
  readonly loaded?: readonly string[] | undefined;
  /**
   * The instructions of a skill by its qualified name, for skills restored by name. `undefined` if the skill is gone.
   */
  readonly instructionsOf?: ((skill: string) => string | undefined) | undefined;
  readonly countTokens?: CountTokens | undefined;
}

/** What a conversation remembers about one skill. */
interface Holding {
  /** Every text that was loaded, newest last. Empty if only the name was restored. */
  readonly texts: Set<string>;
  readonly isRestored: boolean;
}

export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const { id, mode, onDenied, instructionsOf, countTokens = estimateTokens } = options;
  const restrictions: Restrictions = createRestrictions({ mode, onDenied });
  const held = new Map<string, Holding>();
  for (const name of options.loaded ?? []) held.set(name, { texts: new Set(), isRestored: true });
  const scopes = new Map<string, SkillScope>();
  /** The loaded skills, most recent last. */
  const order = new Set(held.keys());
  let keptText = '';

  const instructions = (): LoadedInstructions[] =>
    [...order].toReversed().flatMap((name) => {
      const text = [...(held.get(name)?.texts ?? [])].at(-1) ?? instructionsOf?.(name);
      return text === undefined ? [] : [{ name, text }];
    });
  const forget = (name: string): void => {
    held.delete(name);
    order.delete(name);
  };

  return {
    id,
    tenant: options.tenant ?? id,
    snapshot: options.snapshot,
    get loaded() {
      return [...held.keys()];
    },
    get active() {
      return [...scopes.keys()];
    },
    load(skill, text, { isPlain = false } = {}) {
      const name = skill.qualifiedName;
      const holding = held.get(name) ?? { texts: new Set<string>(), isRestored: false };
      const isRepeated = holding.texts.has(text) || (holding.isRestored && isPlain);
      held.set(name, holding);
      holding.texts.delete(text);
      holding.texts.add(text);
      order.delete(name);
      order.add(name);
      if (!scopes.has(name)) scopes.set(name, restrictions.activate(skill));
      return { isRepeated };
    },
    assertAllowed(tool, input, owner) {
      const [scope] = scopes.values();
      scope?.assert(tool, input, owner);
    },
    forget,
    protect(bounds = {}) {
      const loaded = instructions();
      const { text, whole } = protectSkills(loaded, bounds, countTokens);
      const kept = new Map(loaded.map((skill) => [skill.name, skill.text]));
      for (const name of held.keys()) {
        const ownText = kept.get(name);
        if (ownText === undefined || !whole.has(name)) forget(name);
        else held.set(name, { texts: new Set([ownText]), isRestored: false });
      }
      keptText = text;
      return text;
    },
    get kept() {
      return keptText;
    },
    endTurn() {
      for (const scope of scopes.values()) scope.end();
      scopes.clear();
    },
  };
}

/** How much of the loaded skills to keep when a history is shortened. */
export interface ProtectOptions {
  /** The most tokens to keep of each skill. Default 5,000. */
  readonly perSkill?: number | undefined;
  /** The most tokens to keep of all skills together. Default 25,000. */
  readonly total?: number | undefined;
}

interface LoadedInstructions {
  readonly name: string;
  readonly text: string;
}

interface ProtectedSkills {
  /** The text to keep; `''` if no skill is loaded. */
  readonly text: string;
  /** Names of the skills whose instructions `text` contains in full. */
  readonly whole: ReadonlySet<string>;
}

const DEFAULT_PER_SKILL = 5_000;
const DEFAULT_TOTAL = 25_000;
const HEADING = 'Instructions of the skills that are loaded in this conversation:';
const CUT = '[The rest of the instructions was cut. Load the skill again to read all of them.]';

/** The instructions of loaded skills within these limits, in the given order. Earlier skills get the room first. */
function protectSkills(
  loaded: readonly LoadedInstructions[],
  options: ProtectOptions,
  countTokens: CountTokens,
): ProtectedSkills {
  const perSkill = positive('perSkill', options.perSkill) ?? DEFAULT_PER_SKILL;
  const total = positive('total', options.total) ?? DEFAULT_TOTAL;
  const whole = new Set<string>();
  const left: string[] = [];
  const sections: string[] = [];
  let room = total - countTokens(`${HEADING}\n\n`);
  for (const { name, text } of loaded) {
    const section = fitSection(name, text, (made) => countTokens(`${made}\n\n`) <= Math.min(perSkill, room));
    if (section === undefined) left.push(name);
    else {
      room -= countTokens(`${section.text}\n\n`);
      sections.push(section.text);
      if (section.isWhole) whole.add(name);
    }
  }
  const missing = left.length === 0 ? [] : [`Load these again when you need them: ${left.join(', ')}.`];
  const hasRoom = missing.every((line) => countTokens(line) <= room);
  const parts = [...sections, ...(hasRoom ? missing : [])];
  return { text: parts.length === 0 ? '' : [HEADING, ...parts].join('\n\n'), whole };
}

/** The whole section, or as many whole lines from its start as fit; `undefined` if not one line fits. */
function fitSection(
  name: string,
  instructions: string,
  fits: (section: string) => boolean,
): { readonly text: string; readonly isWhole: boolean } | undefined {
  const heading = `## Skill: ${name}\n\n`;
  const text = instructions.trim();
  if (fits(heading + text)) return { text: heading + text, isWhole: true };
  const lines = text.split('\n');
  const beginning = (count: number): string => `${heading}${lines.slice(0, count).join('\n').trimEnd()}\n${CUT}`;
  let low = 0;
  let high = lines.length;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(beginning(middle))) low = middle;
    else high = middle;
  }
  return low === 0 ? undefined : { text: beginning(low), isWhole: false };
}

function positive(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 1)) return value;
  const message = `Option '${option}' must be a number of tokens of at least 1, not ${String(value).slice(0, 40)}.`;
  throw new SkillwrightError('InvalidOptions', message, { data: { option } });
}

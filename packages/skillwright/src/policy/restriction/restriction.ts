import { ToolRestrictionError } from '../../spec/errors/error.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { shorten } from '../../parse/shown-value.ts';
import { allowsTool, toToolRules, type ToolInput, type ToolRules } from './tool-match.ts';

/**
 * The effect of active skills' tool lists. `enforce`: other tools are refused. `preapprove`: nothing is refused, and
 * listed tools need no approval. `off`: no effect.
 */
export type ToolRestrictionMode = 'enforce' | 'preapprove' | 'off';

export const TOOL_RESTRICTION_MODES: readonly ToolRestrictionMode[] = ['enforce', 'preapprove', 'off'];

export interface RestrictionOptions {
  readonly mode: ToolRestrictionMode;
  /** Called with every refusal before it is thrown; errors of the listener are ignored. */
  readonly onDenied?: ((error: ToolRestrictionError) => void) | undefined;
}

/** The part of a skill that restricts tools. */
export type RestrictingSkill = Pick<SkillMetadata, 'name' | 'allowedTools' | 'disallowedTools' | 'tools'>;

/** The currently active skills. Every scope applies the tool lists of all active skills together. */
export interface Restrictions {
  readonly mode: ToolRestrictionMode;
  /** Applies the skill's lists until the scope's `end`. A skill may be active several times. */
  activate(skill: RestrictingSkill): SkillScope;
}

/** The period in which a skill is active. */
export interface SkillScope {
  /** Name of the skill. */
  readonly skill: string;
  /**
   * Whether a tool may be called with this input while the current skills are active. Always true unless the mode is
   * `enforce`.
   */
  allows(tool: string, input?: ToolInput): boolean;
  /**
   * Whether an active skill lists the tool, so that it needs no approval. Always false unless the mode is `preapprove`.
   */
  preapproves(tool: string, input?: ToolInput): boolean;
  /**
   * Throws `ToolRestrictionError` if `allows` returns false. `owner` is the skill whose tool it is: an active skill with
   * a tool of the same name does not allow the other skill's tool.
   */
  assert(tool: string, input?: ToolInput, owner?: string): void;
  /** Restores what was allowed before. Scopes may end in any order; a second call does nothing. */
  end(): void;
}

/** The tools that reach a skill's own files, scripts and instructions. */
const OWN_TOOLS: ReadonlySet<string> = new Set(['load_skill', 'use_skill', 'read_skill_file']);
/** Names of built-in tools. Declaring a tool with such a name does not allow a skill to call the built-in tool. */
const BUILT_IN = new Set('execute_command eval_code file_read file_write http_request web_search browser'.split(' '));

const MAX_SHOWN = 200;
const MAX_ENTRIES = 50;

export function createRestrictions({ mode, onDenied }: RestrictionOptions): Restrictions {
  const active = new Map<SkillScope, RestrictingSkill>();
  let rules: ToolRules = toRules([]);
  const update = (): void => {
    rules = toRules([...active.values()]);
  };
  const isOwn = (tool: string, owner: string | undefined): boolean =>
    OWN_TOOLS.has(tool) ||
    [...active.values()].some((skill) => (owner === undefined || owner === skill.name) && isToolOf(skill, tool));
  const allows = (tool: string, input?: ToolInput, owner?: string): boolean =>
    mode !== 'enforce' || isOwn(tool, owner) || allowsTool(rules, tool, input);

  const createScope = (skill: string): SkillScope => {
    const scope: SkillScope = {
      skill,
      allows: (tool, input) => allows(tool, input),
      preapproves: (tool, input) =>
        mode === 'preapprove' && rules.allowed !== undefined && allowsTool(rules, tool, input),
      assert(tool, input, owner) {
        if (allows(tool, input, owner)) return;
        const error = toError(tool, [...active.values()]);
        tell(onDenied, error);
        throw error;
      },
      end() {
        if (active.delete(scope)) update();
      },
    };
    return scope;
  };

  return {
    mode,
    activate(skill) {
      const scope = createScope(skill.name);
      active.set(scope, skill);
      update();
      return scope;
    },
  };
}

/** The union of the lists that skills declare. A skill without a list adds nothing to the union. */
function toRules(skills: readonly RestrictingSkill[]): ToolRules {
  const allowed = entriesOf(skills, 'allowedTools');
  return {
    allowed: allowed.length === 0 ? undefined : toToolRules(allowed),
    disallowed: toToolRules(entriesOf(skills, 'disallowedTools')),
  };
}

function entriesOf(skills: readonly RestrictingSkill[], list: 'allowedTools' | 'disallowedTools'): string[] {
  return [...new Set(skills.flatMap((skill) => skill[list] ?? []))];
}

function isToolOf({ name, tools }: RestrictingSkill, tool: string): boolean {
  return !BUILT_IN.has(tool) && tools.some((own) => tool === own.name || tool === `${name}__${own.name}`);
}

function toError(tool: string, active: readonly RestrictingSkill[]): ToolRestrictionError {
  const restricting = active.filter(
    ({ allowedTools = [], disallowedTools = [] }) => allowedTools.length + disallowedTools.length > 0,
  );
  const skills = [...new Set(restricting.map((skill) => skill.name))];
  const allowedTools = entriesOf(restricting, 'allowedTools');
  const disallowedTools = entriesOf(restricting, 'disallowedTools');
  const who = `skill${skills.length === 1 ? '' : 's'} ${skills.map(quoted).join(', ')}`;
  const lists = [
    ...(allowedTools.length > 0 ? [`Allowed tools: ${listed(allowedTools)}`] : []),
    ...(disallowedTools.length > 0 ? [`Disallowed tools: ${listed(disallowedTools)}`] : []),
  ];
  return new ToolRestrictionError(
    'ToolRestricted',
    `Tool ${quoted(tool)} not allowed for ${who}. ${lists.join('. ')}`,
    { data: { tool: tool.slice(0, MAX_SHOWN), skills, allowedTools, disallowedTools } },
  );
}

function listed(entries: readonly string[]): string {
  const first = entries.slice(0, MAX_ENTRIES).map(quoted);
  return `[${[...first, ...(entries.length > MAX_ENTRIES ? ['…'] : [])].join(', ')}]`;
}

/** A name for a message that may be printed in a terminal. */
function quoted(name: string): string {
  const text = shorten(name, MAX_SHOWN);
  return `'${text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))}'`;
}

function tell(onDenied: RestrictionOptions['onDenied'], error: ToolRestrictionError): void {
  try {
    onDenied?.(error);
  } catch {
    // The refusal stands even if the listener fails.
  }
}

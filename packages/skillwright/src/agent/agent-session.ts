import type { Snapshot } from '../catalog/snapshot.ts';
import {
  createRestrictions,
  type Restrictions,
  type SkillScope,
  type ToolRestrictionMode,
} from '../policy/restriction.ts';
import type { ToolRestrictionError } from '../spec/error.ts';
import type { SkillMetadata } from '../spec/skill.ts';

/** What one conversation remembers. Nothing of it shows in another. */
export interface AgentSession {
  readonly id: string;
  /** Whose runs these are: warm workers are never shared between tenants. */
  readonly tenant: string;
  /** The skills as they were when the conversation began. */
  readonly snapshot: Snapshot;
  /** Names of the skills whose instructions the conversation holds. */
  readonly loaded: readonly string[];
  /** Names of the skills that are active: loaded since the person last spoke. */
  readonly active: readonly string[];
  /** Remembers a load and makes the skill active. Whether the very same text was loaded before. */
  load(skill: SkillMetadata, text: string): { readonly isRepeated: boolean };
  /** Throws `ToolRestrictionError` when the active skills do not allow a tool. */
  assertAllowed(tool: string, input?: Readonly<Record<string, unknown>>): void;
  /** The host took the instructions out of the history: the next load answers in full. */
  forget(skill: string): void;
  /** The person speaks: what was active is no longer. */
  endTurn(): void;
}

export interface AgentSessionOptions {
  readonly id: string;
  readonly tenant?: string | undefined;
  readonly snapshot: Snapshot;
  readonly mode: ToolRestrictionMode;
  readonly onDenied?: ((error: ToolRestrictionError) => void) | undefined;
}

export function createAgentSession({ id, tenant, snapshot, mode, onDenied }: AgentSessionOptions): AgentSession {
  const restrictions: Restrictions = createRestrictions({ mode, onDenied });
  const texts = new Map<string, Set<string>>();
  const scopes = new Map<string, SkillScope>();
  return {
    id,
    tenant: tenant ?? id,
    snapshot,
    get loaded() {
      return [...texts.keys()];
    },
    get active() {
      return [...scopes.keys()];
    },
    load(skill, text) {
      const name = skill.qualifiedName;
      const known = texts.get(name) ?? new Set<string>();
      const isRepeated = known.has(text);
      texts.set(name, known.add(text));
      if (!scopes.has(name)) scopes.set(name, restrictions.activate(skill));
      return { isRepeated };
    },
    assertAllowed(tool, input) {
      const [scope] = scopes.values();
      scope?.assert(tool, input);
    },
    forget: (skill) => void texts.delete(skill),
    endTurn() {
      for (const scope of scopes.values()) scope.end();
      scopes.clear();
    },
  };
}

import type { SkillRecord } from '../catalog/snapshot/skill-record.ts';
import { createRedactor, secretVariables, type Redactor } from '../policy/redaction/redaction.ts';
import { declaredEnvironment, inheritableEnvironment, plainEnvironment } from '../policy/script-environment.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import type { SkillKeyed } from './skill-keyed.ts';

type Environment = Readonly<Record<string, string>>;

/** Secret environment variables of single skills: by skill name, or from a function that is called each time. */
export type SkillSecrets = SkillKeyed<Environment>;

export interface SurroundingsOptions {
  /** The environment of this process. */
  readonly host: Environment;
  /**
   * The variables that the host grants. Without it, trusted skills inherit the host's environment, as long as every
   * skill is trusted.
   */
  readonly env?: Environment | undefined;
  readonly secretsOf: (skill: SkillMetadata) => Environment | undefined;
  readonly everySkillIsTrusted: () => boolean;
  /** Called once, when a skill first inherits the host's environment. */
  readonly onInherit: (names: readonly string[]) => void;
}

/** The environment that a skill's programs get, and the secrets in it that are redacted from all output. */
export interface Surroundings {
  readonly env: Environment;
  readonly redactor: Redactor;
}

export type SurroundingsOf = (record: SkillRecord) => Surroundings;

/** Returns the same environment for a skill until it is discovered again or its secrets change. */
export function createSurroundings(options: SurroundingsOptions): SurroundingsOf {
  const granted = createGrants(options);
  const known = new WeakMap<SkillRecord, { readonly secrets: Environment; readonly surroundings: Surroundings }>();
  return (record) => {
    const secrets = options.secretsOf(record.metadata) ?? {};
    const before = known.get(record);
    if (before !== undefined && isSame(before.secrets, secrets)) return before.surroundings;
    const env = { ...granted(record.metadata), ...secrets };
    const surroundings = { env, redactor: createRedactor({ ...secretVariables(env), ...secrets }) };
    known.set(record, { secrets: { ...secrets }, surroundings });
    return surroundings;
  };
}

function createGrants(options: SurroundingsOptions): (skill: SkillMetadata) => Environment {
  const plain = plainEnvironment(options.host);
  let inherited: Environment | undefined;
  return ({ trust, requires }) => {
    if (trust !== 'trusted') return { ...plain, ...declaredEnvironment(options.env ?? {}, requires?.env ?? []) };
    if (options.env !== undefined) return options.env;
    if (!options.everySkillIsTrusted()) return plain;
    if (inherited === undefined) {
      inherited = inheritableEnvironment(options.host);
      options.onInherit(Object.keys(inherited).sort());
    }
    return inherited;
  };
}

function isSame(a: Environment, b: Environment): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

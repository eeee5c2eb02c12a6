import type { SkillRecord } from '../catalog/skill-record.ts';
import { createRedactor, secretVariables, type Redactor } from '../policy/redaction.ts';
import { declaredEnvironment, inheritableEnvironment, plainEnvironment } from '../policy/script-environment.ts';
import type { SkillMetadata } from '../spec/skill.ts';

type Environment = Readonly<Record<string, string>>;

/** Environment variables for single skills whose values must not be seen: by the skill's name, or asked for each time. */
export type SkillSecrets = Readonly<Record<string, Environment>> | ((skill: SkillMetadata) => Environment | undefined);

export interface SurroundingsOptions {
  /** The environment of this process. */
  readonly host: Environment;
  /** What the host grants; without it trusted skills inherit, as long as every skill is trusted. */
  readonly env?: Environment | undefined;
  readonly secrets?: SkillSecrets | undefined;
  readonly everySkillIsTrusted: () => boolean;
  /** Told once, when a skill first inherits the host's environment. */
  readonly onInherit: (names: readonly string[]) => void;
}

/** What a skill's programs are given, and what of it must not come out again. */
export interface Surroundings {
  readonly env: Environment;
  readonly redactor: Redactor;
}

export type SurroundingsOf = (record: SkillRecord) => Surroundings;

export function createSurroundings(options: SurroundingsOptions): SurroundingsOf {
  let isTold = false;
  const redactors = new Map<string, Redactor>();
  const granted = (skill: SkillMetadata): Environment => {
    const plain = plainEnvironment(options.host);
    if (skill.trust !== 'trusted')
      return { ...plain, ...declaredEnvironment(options.env ?? {}, skill.requires?.env ?? []) };
    if (options.env !== undefined) return options.env;
    if (!options.everySkillIsTrusted()) return plain;
    const inherited = inheritableEnvironment(options.host);
    if (!isTold) options.onInherit(Object.keys(inherited).sort());
    isTold = true;
    return inherited;
  };
  return ({ metadata }) => {
    const secrets = secretsOf(metadata, options.secrets);
    const env = { ...granted(metadata), ...secrets };
    const hidden = { ...secretVariables(env), ...secrets };
    const key = JSON.stringify(hidden);
    let redactor = redactors.get(key);
    if (redactor === undefined) {
      if (redactors.size >= MAX_REDACTORS) redactors.clear();
      redactors.set(key, (redactor = createRedactor(hidden)));
    }
    return { env, redactor };
  };
}

/** Kept because making one takes longer than a warm call. */
const MAX_REDACTORS = 100;

function secretsOf(skill: SkillMetadata, secrets: SkillSecrets | undefined): Environment {
  if (typeof secrets === 'function') return secrets(skill) ?? {};
  for (const name of [skill.qualifiedName, skill.name])
    if (secrets !== undefined && Object.hasOwn(secrets, name)) return secrets[name] ?? {};
  return {};
}

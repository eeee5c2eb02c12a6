import type { SkillMetadata } from '../spec/skill.ts';

/** Variables that give control over an interpreter, its modules or its startup. */
const DANGEROUS =
  /^(?:NODE_OPTIONS|NODE_PATH|NODE_REPL_.*|LD_.*|DYLD_.*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PYTHON.*|PERL5.*|RUBYOPT|RUBYLIB|PHPRC|SKILL_.*|SKILLWRIGHT_.*)$/i;

/** Variables that a program needs to start and to use the user's language. None of them identifies the user. */
const PLAIN =
  /^(?:PATH|HOME|LANG|LANGUAGE|LC_.*|TZ|TERM|TMPDIR|TEMP|TMP|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|NUMBER_OF_PROCESSORS)$/i;

type Environment = Readonly<Record<string, string>>;

/** The part of a host's environment that scripts of trusted skills may have. */
export function inheritableEnvironment(host: Environment): Record<string, string> {
  return pick(host, (name) => !DANGEROUS.test(name));
}

/** The part of a host's environment that any script may have. */
export function plainEnvironment(host: Environment): Record<string, string> {
  return pick(host, (name) => PLAIN.test(name));
}

/** The variables for an untrusted skill: those that the operator grants and the skill declares. */
export function declaredEnvironment(granted: Environment, declared: readonly string[]): Record<string, string> {
  return pick(granted, (name) => declared.includes(name) && !DANGEROUS.test(name));
}

function pick(environment: Environment, wanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => wanted(name)));
}

/** The environment of one run: the granted variables, and the identity of the run. */
export function scriptEnvironment(
  granted: Environment,
  run: { readonly skill: Pick<SkillMetadata, 'name' | 'baseDir' | 'version'>; readonly executionId?: string },
): Record<string, string> {
  return {
    ...granted,
    SKILL_NAME: run.skill.name,
    SKILL_DIR: run.skill.baseDir,
    SKILL_VERSION: run.skill.version ?? '',
    ...(run.executionId === undefined ? {} : { SKILL_EXECUTION_ID: run.executionId }),
  };
}

import type { SkillMetadata } from '../spec/skill.ts';

/** Variables by which whoever sets them takes over an interpreter, its modules or its start. */
const DANGEROUS =
  /^(?:NODE_OPTIONS|NODE_PATH|NODE_REPL_.*|LD_.*|DYLD_.*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PYTHON.*|PERL5.*|RUBYOPT|RUBYLIB|PHPRC|SKILL_.*|SKILLWRIGHT_.*)$/;

/** What of a host's environment its scripts may have. */
export function inheritableEnvironment(host: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(host).filter(([name]) => !DANGEROUS.test(name)));
}

/** The environment of one run: what the host grants, and who runs. */
export function scriptEnvironment(
  granted: Readonly<Record<string, string>>,
  run: { readonly skill: Pick<SkillMetadata, 'name' | 'baseDir' | 'version'>; readonly executionId: string },
): Record<string, string> {
  return {
    ...granted,
    SKILL_NAME: run.skill.name,
    SKILL_DIR: run.skill.baseDir,
    SKILL_VERSION: run.skill.version ?? '',
    SKILL_EXECUTION_ID: run.executionId,
  };
}

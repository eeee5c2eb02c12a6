import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { CliContext } from './context.ts';

/** Something a skill declares to need and this machine does not have. */
export interface MissingRequirement {
  readonly kind: 'bin' | 'env' | 'os';
  /** Any one of these would do. */
  readonly anyOf: readonly string[];
}

export function missingRequirements(
  skill: SkillMetadata,
  { env, platform }: Pick<CliContext, 'env' | 'platform'>,
): MissingRequirement[] {
  const { bins = [], anyBins = [], env: variables = [], os = [] } = skill.requires ?? {};
  const has = (program: string): boolean => hasProgram(program, skill.baseDir, env, platform);
  return [
    ...bins.filter((bin) => !has(bin)).map((bin) => ({ kind: 'bin', anyOf: [bin] }) as const),
    ...(anyBins.length > 0 && !anyBins.some(has) ? [{ kind: 'bin', anyOf: anyBins } as const] : []),
    ...variables.filter((name) => !env[name]).map((name) => ({ kind: 'env', anyOf: [name] }) as const),
    ...(os.length > 0 && !os.includes(platform) ? [{ kind: 'os', anyOf: os } as const] : []),
  ];
}

/** `python3 or python (not on PATH)` */
export function describeRequirement({ kind, anyOf }: MissingRequirement, platform: string): string {
  const names = anyOf.join(' or ');
  if (kind === 'bin') return `the program ${names} (not on PATH)`;
  return kind === 'env'
    ? `the environment variable ${names} (not set)`
    : `the operating system ${names} (this is ${platform})`;
}

/** A name is looked for on PATH, a path from the skill's directory. */
function hasProgram(program: string, baseDir: string, env: CliContext['env'], platform: string): boolean {
  if (/[\\/]/.test(program)) return isProgram(resolve(baseDir, program));
  const endings = platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT;.COM').split(';')] : [''];
  const directories = (env.PATH ?? env.Path ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.some((directory) => endings.some((ending) => isProgram(join(directory, program + ending))));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

import type { SkillRequirements } from '../spec/skill.ts';

/** Something that a skill requires and the host does not have. */
export interface MissingRequirement {
  readonly kind: 'bin' | 'env' | 'os';
  /** The alternatives. Any one of these is enough. */
  readonly anyOf: readonly string[];
}

/** The programs, variables and system of a host, which skills can require. */
export interface HostFacts {
  /** Whether a program is on the PATH; a path is resolved from the skill's directory. */
  hasProgram(program: string): boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The platform in Node's spelling. */
  readonly platform: string;
}

/** The missing requirements, in the order of the declaration. */
export function missingRequirements(requires: SkillRequirements | undefined, host: HostFacts): MissingRequirement[] {
  const { bins = [], anyBins = [], env: variables = [], os = [] } = requires ?? {};
  return [
    ...bins.filter((bin) => !host.hasProgram(bin)).map((bin) => ({ kind: 'bin', anyOf: [bin] }) as const),
    ...(anyBins.length > 0 && !anyBins.some((bin) => host.hasProgram(bin))
      ? [{ kind: 'bin', anyOf: anyBins } as const]
      : []),
    ...variables.filter((name) => !host.env[name]).map((name) => ({ kind: 'env', anyOf: [name] }) as const),
    ...(os.length > 0 && !os.includes(host.platform) ? [{ kind: 'os', anyOf: os } as const] : []),
  ];
}

/** Describes a requirement, such as `the program python3 or python (not on PATH)`. */
export function describeRequirement({ kind, anyOf }: MissingRequirement, platform: string): string {
  const names = anyOf.join(' or ');
  if (kind === 'bin') return `the program ${names} (not on PATH)`;
  return kind === 'env'
    ? `the environment variable ${names} (not set)`
    : `the operating system ${names} (this is ${platform})`;
}

import type { PolicyOptions } from '../../run/options/running-options.ts';
import { invalidOption } from '../../spec/errors/error.ts';
import { TRUST_LEVELS } from '../../spec/trust.ts';
import type { SkillManagerOptions } from './skill-manager.ts';
import { assertKnownNames } from '../../parse/unknown-option.ts';

const PATH_OPTIONS = ['cwd', 'projectSkillDir', 'anthropicConfigDir', 'agentsDir', 'opencodeDir'] as const;
const LIST_OPTIONS = ['pluginDirs', 'additionalSearchPaths', 'userDirs'] as const;
const FLAG_OPTIONS = ['walkUp', 'followOutside', 'optional', 'strict', 'thorough', 'enforceToolRestrictions'] as const;
const OBJECT_OPTIONS = ['limits', 'policy'] as const;
const OTHER_OPTIONS = ['precedence', 'trust', 'logger', 'onEvent'] as const;
/** Options that are checked later, by the runner and the catalog. */
const RUNNING_OPTIONS = [
  'indexCache',
  'sandbox',
  'sandboxes',
  'env',
  'secrets',
  'approve',
  'recorder',
  'timeout',
  'maxOutput',
  'stagingDir',
  'workers',
] as const;
const KNOWN_OPTIONS: readonly string[] = [
  ...PATH_OPTIONS,
  ...LIST_OPTIONS,
  ...FLAG_OPTIONS,
  ...OBJECT_OPTIONS,
  ...OTHER_OPTIONS,
  ...RUNNING_OPTIONS,
];

/** Rejects misuse at once, with the option's name: a typo must not disable a setting. */
export function assertManagerOptions(options: SkillManagerOptions): void {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null)
    throw invalidOption(
      'options',
      `must be an object, such as { projectSkillDir: ${shown(typeof given === 'string' ? given : './skills')} }`,
    );
  assertKnownNames(options, KNOWN_OPTIONS);
  for (const option of PATH_OPTIONS) {
    const value: unknown = options[option];
    const isFine = value === undefined || (value === null && option !== 'cwd') || isPath(value);
    if (!isFine) throw invalidOption(option, `must be a path, not ${shown(value)}`);
  }
  for (const option of LIST_OPTIONS) {
    const value: unknown = options[option];
    if (value !== undefined && !(Array.isArray(value) && value.every(isPath)))
      throw invalidOption(option, `must be a list of paths, not ${shown(value)}`);
  }
  for (const option of FLAG_OPTIONS) {
    const value: unknown = options[option];
    if (value !== undefined && typeof value !== 'boolean')
      throw invalidOption(option, `must be true or false, not ${shown(value)}`);
  }
  for (const option of OBJECT_OPTIONS) {
    const value: unknown = options[option];
    if (value !== undefined && (typeof value !== 'object' || value === null))
      throw invalidOption(option, `must be an object, not ${shown(value)}`);
  }
  const onEvent: unknown = options.onEvent;
  if (onEvent !== undefined && typeof onEvent !== 'function')
    throw invalidOption('onEvent', `must be a function, not ${shown(onEvent)}`);
  if (options.logger !== undefined && !isLogger(options.logger)) {
    throw invalidOption('logger', 'must have the methods debug, info, warn and error');
  }
  const { trust, precedence } = options;
  if (trust !== undefined && typeof trust !== 'function' && !TRUST_LEVELS.includes(trust))
    throw invalidOption('trust', `must be a function or one of ${TRUST_LEVELS.join(', ')}, not ${shown(trust)}`);
  if (precedence !== undefined && precedence !== 'first' && precedence !== 'last') {
    throw invalidOption('precedence', `must be 'first' or 'last', not ${shown(precedence)}`);
  }
}

/** `enforceToolRestrictions` is the short form of `policy.allowedTools`; both may be given if they agree. */
export function toPolicy({ enforceToolRestrictions, policy }: SkillManagerOptions): PolicyOptions | undefined {
  if (enforceToolRestrictions === undefined) return policy;
  const allowedTools = enforceToolRestrictions ? 'enforce' : 'off';
  if (policy?.allowedTools !== undefined && policy.allowedTools !== allowedTools)
    throw invalidOption(
      'enforceToolRestrictions',
      `is ${enforceToolRestrictions}, which is '${allowedTools}', but 'policy.allowedTools' is ${shown(policy.allowedTools)}`,
    );
  return { ...policy, allowedTools };
}

function isLogger(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['debug', 'info', 'warn', 'error'].every((level) => typeof Reflect.get(value, level) === 'function');
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? String(value);
}

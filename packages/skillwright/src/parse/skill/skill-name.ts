import { SPEC_LIMITS } from '../../spec/limits.ts';

const ASCII_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Why a name breaks the naming rules, or `undefined`. Lowercase letters of any script are allowed after NFKC. */
export function nameProblem(name: string): string | undefined {
  if (name.length <= SPEC_LIMITS.name && ASCII_NAME.test(name)) return undefined;
  const normal = name.normalize('NFKC');
  if (normal.length > SPEC_LIMITS.name) return `is ${normal.length} characters long; the limit is ${SPEC_LIMITS.name}`;
  if (normal.startsWith('-') || normal.endsWith('-')) return 'starts or ends with a hyphen';
  if (normal.includes('--')) return 'has two hyphens in a row';
  if (normal !== normal.toLowerCase()) return 'has capital letters';
  const illegal = [...normal].find((char) => !/[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}-]/u.test(char));
  if (illegal !== undefined) return `has ${JSON.stringify(illegal)}, which is not a lowercase letter, digit or hyphen`;
  return normal === '' ? 'is empty' : undefined;
}

/** Windows reserves these names for devices, so they cannot name directories there. */
export function isDeviceName(name: string): boolean {
  return name.length <= 4 && /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(name);
}

/** Lookups treat `_` and `-` as equal and ignore differences in Unicode composition. */
export function lookupKey(name: string): string {
  return /[_\u0080-\uffff]/.test(name) ? name.normalize('NFKC').replaceAll('_', '-') : name;
}

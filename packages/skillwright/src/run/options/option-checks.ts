import { invalidOption } from '../../spec/errors/error.ts';
import { unknownOption } from '../../parse/unknown-option.ts';

/** The largest number that an option accepts: the longest delay of a Node timer. */
const MAX_NUMBER = 2 ** 31 - 1;

export function assertKeys(value: unknown, option: string, known: readonly string[]): void {
  if (value === undefined) return;
  if (typeof value !== 'object' || value === null) throw invalidOption(option, 'must be an object');
  for (const name of Object.keys(value))
    if (!known.includes(name)) throw invalidOption(`${option}.${name}`, unknownOption(name, known));
}

export function assertNumbers(values: object, prefix: string, names: readonly string[]): void {
  for (const name of names) {
    const value: unknown = Reflect.get(values, name);
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_NUMBER))
      continue;
    throw invalidOption(
      `${prefix}${name}`,
      `must be a whole number from 1 to ${MAX_NUMBER}, not ${JSON.stringify(value)}`,
    );
  }
}

export function assertOneOf(value: unknown, option: string, allowed: readonly unknown[]): void {
  if (value === undefined || allowed.includes(value)) return;
  throw invalidOption(option, `must be one of ${allowed.join(', ')}`);
}

import { invalidOption } from '../spec/errors/error.ts';
import { closestName, didYouMean } from './closest-name.ts';

/** The end of a sentence about an unknown option: suggests the nearest name and lists the known options. */
export function unknownOption(name: string, known: Iterable<string>): string {
  const names = [...known];
  const guess = closestName(name, names);
  return `is not known.${didYouMean(guess)} Options: ${names.join(', ')}`;
}

/** Throws `InvalidOptions` for the first unknown name, because a typo must not disable a setting. */
export function assertKnownNames(given: object, known: readonly string[]): void {
  const name = Object.keys(given).find((one) => !known.includes(one));
  if (name !== undefined) throw invalidOption(name, unknownOption(name, known));
}

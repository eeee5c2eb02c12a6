import { closestName } from './closest-name.ts';

/** The end of a sentence that begins with an unknown option: suggests the nearest name and lists the options there are. */
export function unknownOption(name: string, known: Iterable<string>): string {
  const names = [...known];
  const guess = closestName(name, names);
  return `is not known.${guess === undefined ? '' : ` Did you mean '${guess}'?`} Options: ${names.join(', ')}`;
}

import { closestName, didYouMean } from '../parse/closest-name.ts';
import { SkillwrightError } from '../spec/errors/error.ts';

/** The names of a program's options; the type requires all of them to be listed. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Rejects an unknown name, which would have no effect, and suggests the name that was probably meant. */
export function assertKnownOptions<Options extends object>(given: Options, known: OptionNames<Options>): void {
  assertObject(given);
  for (const option of Object.keys(given)) if (!Object.hasOwn(known, option)) throw unknownOption(option, known);
}

/**
 * Checks options that come together with others, such as a provider's: rejects only a name that looks like a
 * misspelling of a known option.
 */
export function assertNoMisspelling<Options extends object>(given: Options, known: OptionNames<Options>): void {
  assertObject(given);
  const names = Object.keys(known);
  for (const option of Object.keys(given)) {
    if (!Object.hasOwn(known, option) && closestName(option, names) !== undefined) throw unknownOption(option, known);
  }
}

function assertObject(given: unknown): void {
  if (typeof given === 'object' && given !== null) return;
  throw new SkillwrightError('InvalidOptions', `The options must be an object, not ${describe(given)}.`, {
    data: { option: 'options' },
  });
}

function unknownOption(option: string, known: object): SkillwrightError {
  const names = Object.keys(known);
  const suggestion = closestName(option, names);
  const message = `Option '${option.slice(0, 100)}' is not known.${didYouMean(suggestion)} Options: ${names.join(', ')}.`;
  return new SkillwrightError('InvalidOptions', message, { data: { option, suggestion: suggestion ?? null } });
}

/** Describes a value for an error message: only its kind, never its text, which may be anything. */
export function describe(given: unknown): string {
  return given === null
    ? 'null'
    : Array.isArray(given)
      ? 'a list'
      : typeof given === 'object'
        ? 'an object'
        : typeof given;
}

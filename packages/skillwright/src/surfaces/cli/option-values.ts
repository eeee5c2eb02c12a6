import type { OptionDefinitions } from './command.ts';

type GivenValue = string | boolean | readonly (string | boolean)[] | undefined;

/** The options passed to a command. Reading an option that the command does not define is a bug, so it throws. */
export class OptionValues {
  readonly #definitions: OptionDefinitions;
  readonly #given: Readonly<Record<string, GivenValue>>;

  constructor(definitions: OptionDefinitions, given: Readonly<Record<string, GivenValue>>) {
    this.#definitions = definitions;
    this.#given = given;
  }

  flag(name: string): boolean {
    return this.#value(name) === true;
  }

  text(name: string): string | undefined {
    const value = this.#value(name);
    return typeof value === 'string' ? value : this.#definitions[name]?.default;
  }

  list(name: string): readonly string[] {
    const value = this.#value(name);
    return Array.isArray(value) ? value.map(String) : [];
  }

  #value(name: string): GivenValue {
    if (!Object.hasOwn(this.#definitions, name)) throw new TypeError(`No option --${name} is defined.`);
    return Object.hasOwn(this.#given, name) ? this.#given[name] : undefined;
  }
}

import { closestName } from '../../parse/closest-name.ts';
import { argumentProblems } from '../../run/arguments/tool-arguments.ts';
import type { ExecutionCode } from '../../spec/execution.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { readArguments } from '../tools/tool-input.ts';
import { shorten } from '../../parse/shown-value.ts';

/** A parameter that a tool's error text says is missing. */
interface MissingInText {
  readonly name: string;
  /**
   * Whether the text clearly means a parameter, as in "path is required". A text such as "report is missing" may mean a
   * file.
   */
  readonly isPlain: boolean;
}

/** How much of an error is searched. A tool that refuses arguments says so at the start of the error. */
const MAX_READ = 2_000;

const NAME = String.raw`["'\x60]?([A-Za-z_][\w-]{0,63})["'\x60]?`;
const KIND = '(?:parameter|argument|field|property|option|key)';
const REQUIRED_AFTER = new RegExp(
  String.raw`${NAME} (?:${KIND} )?(?:is|are|was) (?:a |an )?(?:required|mandatory)\b`,
  'gi',
);
const REQUIRED_BEFORE = new RegExp(
  String.raw`\b(?:missing|required)(?: \d+)?(?: required)?(?: positional| keyword-only)? ${KIND}s?:? ${NAME}`,
  'gi',
);
const MISSING = new RegExp(
  String.raw`${NAME} (?:${KIND} )?(?:is|was) (?:missing|undefined|empty|not (?:given|set|provided|specified))\b`,
  'gi',
);
const REFUSED_AFTER = new RegExp(
  String.raw`${NAME} (?:${KIND} )?(?:must (?:be|have|not)|should be|has to be|is (?:invalid|not (?:a |an )?(?:valid|allowed|supported)))\b`,
  'gi',
);
const REFUSED_BEFORE = new RegExp(
  String.raw`\b(?:invalid|bad|unsupported|unexpected)(?: value)?(?: for)?(?: the)?(?: ${KIND})?:? ${NAME}`,
  'gi',
);

/** Why a call failed, if the call itself is to blame. */
export type FailureCause =
  | { readonly kind: 'missing-parameter'; readonly parameters: readonly string[] }
  /** `problem` completes the sentence "failed because …". */
  | { readonly kind: 'invalid-parameter'; readonly parameters: readonly string[]; readonly problem: string }
  /** The arguments are not a JSON object. */
  | { readonly kind: 'unreadable-arguments' }
  | { readonly kind: 'unknown-tool' }
  /** The call was correct, or nothing shows that it was not. */
  | { readonly kind: 'other' };

export interface FailedCall {
  /** The arguments as the model wrote them. */
  readonly arguments: unknown;
  readonly definition: ToolDefinition | undefined;
  readonly error: string;
  readonly code: ExecutionCode | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

const MAX_PARAMETERS = 10;
const MAX_VALUES = 10;
const MAX_NAME = 100;

/**
 * Compares a failed call with the tool's definition. If the arguments fit, the tool's error text may still name a
 * parameter that the tool itself refused. Names that the definition does not have are ignored.
 */
export function findCause({ arguments: written, definition, error, code }: FailedCall): FailureCause {
  if (code === 'ToolNotFound') return { kind: 'unknown-tool' };
  const read = readArguments(written, definition?.name ?? '');
  if (!read.ok) return { kind: 'unreadable-arguments' };
  if (definition === undefined || !(code === undefined || code === 'InvalidArguments' || code === 'ExecutionFailed'))
    return { kind: 'other' };
  const missing = (definition.inputSchema.required ?? []).filter((name) => !Object.hasOwn(read.value, name));
  if (missing.length > 0) return { kind: 'missing-parameter', parameters: missing.slice(0, MAX_PARAMETERS) };
  if (code === 'InvalidArguments') return unfitting(definition, read.value, error);
  return toldByTool(definition, read.value, error);
}

function unfitting(definition: ToolDefinition, args: Arguments, error: string): FailureCause {
  const { properties } = definition.inputSchema;
  const unfit = Object.keys(args)
    .filter((name) => !fits(definition, name, args[name]))
    .slice(0, MAX_PARAMETERS);
  const [first] = unfit;
  if (first === undefined) return { kind: 'other' };
  if (!Object.hasOwn(properties, first)) {
    const guess = first.length > MAX_NAME ? undefined : closestName(first, Object.keys(properties));
    const hint = guess === undefined ? '' : `; did you mean '${guess}'`;
    return {
      kind: 'invalid-parameter',
      parameters: unfit,
      problem: `it has no ${quotedNames([first])} parameter${hint}`,
    };
  }
  const expected = expectation(properties[first], args[first]);
  const problem = `the ${quotedNames([first])} parameter ${expected ?? `is not valid: ${error}`}`;
  return { kind: 'invalid-parameter', parameters: unfit, problem };
}

/** Whether one argument, by itself, is valid for its tool. */
function fits({ name: tool, inputSchema }: ToolDefinition, name: string, value: unknown): boolean {
  const { properties, required: _required, ...rest } = inputSchema;
  if (!Object.hasOwn(properties, name) && rest.additionalProperties !== false) return true;
  const schema = { ...rest, properties: Object.hasOwn(properties, name) ? { [name]: properties[name] } : {} };
  return argumentProblems({ name: tool, description: '', inputSchema: schema }, { [name]: value }) === undefined;
}

/** What a value must be, if its type or its list of allowed values is the problem. */
function expectation(schema: unknown, value: unknown): string | undefined {
  const { type, enum: allowed } = (schema ?? {}) as { type?: unknown; enum?: unknown };
  if (Array.isArray(allowed) && !allowed.includes(value)) {
    const shown = allowed.slice(0, MAX_VALUES).map((item) => JSON.stringify(item));
    return `must be one of ${shown.join(', ')}${allowed.length > MAX_VALUES ? ', …' : ''}`;
  }
  const types = (Array.isArray(type) ? type : [type]).filter((item) => typeof item === 'string');
  return types.length > 0 && !types.includes(typeOf(value)) ? `must be of type ${types.join(' or ')}` : undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function toldByTool({ inputSchema }: ToolDefinition, args: Arguments, error: string): FailureCause {
  const { properties } = inputSchema;
  const isOpen = Object.keys(properties).length === 0 && inputSchema.additionalProperties !== false;
  const isGiven = (name: string): boolean => Object.hasOwn(args, name) && args[name] !== '' && args[name] !== null;
  const missing = missingInText(error).filter(
    ({ name, isPlain }) => !isGiven(name) && (Object.hasOwn(properties, name) || (isOpen && isPlain)),
  );
  if (missing.length > 0)
    return { kind: 'missing-parameter', parameters: missing.map(({ name }) => name).slice(0, MAX_PARAMETERS) };
  const refused = refusedInText(error).find((name) => isGiven(name) && (isOpen || Object.hasOwn(properties, name)));
  if (refused === undefined) return { kind: 'other' };
  return {
    kind: 'invalid-parameter',
    parameters: [refused],
    problem: `the '${refused}' parameter is not valid: ${error}`,
  };
}

/**
 * `'a'`, `'a' and 'b'`, `'a', 'b' and 'c'`: each on one line and cut to a limit, because a model may write anything.
 */
export function quotedNames(names: readonly string[]): string {
  const quoted = names.map((name) => `'${shownName(name)}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1) ?? ''}`;
}

function shownName(name: string): string {
  const shown = shorten(name, MAX_NAME);
  return shown.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}

/**
 * The names that a tool's error says are missing, as in "path is required" or "missing required argument: 'path'". The
 * caller has to compare them with the tool's definition and with the call.
 */
function missingInText(error: string): MissingInText[] {
  const plain = [...namesFound(error, REQUIRED_AFTER), ...namesFound(error, REQUIRED_BEFORE)];
  const found = [
    ...plain.map((name) => ({ name, isPlain: true })),
    ...namesFound(error, MISSING).map((name) => ({ name, isPlain: false })),
  ];
  return found.filter(({ name }, place) => found.findIndex((other) => other.name === name) === place);
}

/** The parameters that a tool's error says are invalid, as in "limit must be positive". */
function refusedInText(error: string): string[] {
  return [...namesFound(error, REFUSED_AFTER), ...namesFound(error, REFUSED_BEFORE)];
}

function namesFound(error: string, pattern: RegExp): string[] {
  return [...error.slice(0, MAX_READ).matchAll(pattern)].map(([, name = '']) => name);
}

import { PROGRAM } from '../../../spec/program.ts';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isJsonObject, parseJson } from '../../../parse/json/json-source.ts';
import type { SkillTool } from '../../../spec/skill.ts';
import { CliError, usageError } from '../cli-error.ts';
import { messageOf } from '../../../spec/errors/error.ts';

/** Where to read arguments that are not on the command line. */
export interface InputPlaces {
  readonly cwd: string;
  readInput(): Promise<Uint8Array | undefined>;
}

/** The called tool, or the called skill of a gateway. */
export interface Callable extends Pick<SkillTool, 'name' | 'inputSchema'> {
  /** The words before the tool's name in hints. Default `skillwright call`. */
  readonly command?: string | undefined;
}

const MAX_FILE_BYTES = 10_485_760;

/** Whether a word is an argument rather than a tool's name. */
export function isToolInput(word: string): boolean {
  return /^[{["@]|^-$|=/.test(word);
}

/** The tool's arguments: `name=value` words, or one word that contains all of them. */
export async function readToolInput(words: readonly string[], tool: Callable, places: InputPlaces): Promise<unknown> {
  const whole = words.find((word) => /^[{["@]|^-$/.test(word));
  if (whole === undefined) return readPairs(words, tool);
  if (words.length > 1)
    throw usageError('Give the arguments either as one JSON object or as name=value, not both.', [exampleHint(tool)]);
  return readJsonWord(whole, places, [exampleHint(tool)]);
}

/** The JSON that a word stands for: its own text, a file after `@`, or standard input for `-`. */
export async function readJsonWord(word: string, places: InputPlaces, hints: readonly string[] = []): Promise<unknown> {
  const { text, where } = await readWhole(word, places);
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  const { line, column, reason } = parsed;
  throw usageError(`${where} not JSON: ${reason} (line ${line}, column ${column}).`, hints, { line, column });
}

async function readWhole(word: string, places: InputPlaces): Promise<{ text: string; where: string }> {
  if (word === '-') {
    const bytes = await places.readInput();
    if (bytes === undefined) throw usageError('There is no standard input to read the arguments from.');
    return { text: new TextDecoder().decode(bytes), where: 'Standard input is' };
  }
  if (!word.startsWith('@')) return { text: word, where: 'The arguments are' };
  const file = word.slice(1);
  return { text: await readArgumentFile(file, resolve(places.cwd, file)), where: `${file} is` };
}

async function readArgumentFile(given: string, path: string): Promise<string> {
  let size: number;
  try {
    size = (await stat(path)).size;
    if (size <= MAX_FILE_BYTES) return await readFile(path, 'utf8');
  } catch (error) {
    const reason = messageOf(error);
    throw new CliError('PathNotFound', `The arguments cannot be read from ${given}: ${reason}.`, { data: { path } });
  }
  throw usageError(`${given} has ${size} bytes, more than the limit of ${MAX_FILE_BYTES}.`);
}

function readPairs(words: readonly string[], tool: Callable): Record<string, unknown> {
  const pairs = words.map((word) => readPair(word, tool));
  const names = pairs.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw usageError(`'${repeated}' is given twice.`, [`Write a list as JSON: ${repeated}='["a", "b"]'.`]);
  return Object.fromEntries(pairs);
}

function readPair(word: string, tool: Callable): [string, unknown] {
  const end = word.indexOf('=');
  if (end < 1) throw usageError(`'${word}' is neither name=value nor a JSON object.`, [exampleHint(tool)], { word });
  const name = word.slice(0, end);
  const { properties } = tool.inputSchema;
  const schema = Object.hasOwn(properties, name) ? properties[name] : { type: 'string' };
  return [name, convert(name, word.slice(end + 1), schema)];
}

/**
 * Converts a value to the type in the schema. A value that cannot be converted stays text, and the argument check
 * reports it.
 */
function convert(name: string, text: string, schema: unknown): unknown {
  const types = typesOf(schema);
  if (types.includes('string')) return text;
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  if (!types.includes('array') && !types.includes('object')) return text;
  throw usageError(`The value of '${name}' is not JSON: ${parsed.reason} (column ${parsed.column}).`, [
    types.includes('array') ? `Write a list as ${name}='["a", "b"]'.` : `Write an object as ${name}='{"a": 1}'.`,
  ]);
}

function typesOf(schema: unknown): readonly unknown[] {
  if (!isJsonObject(schema)) return [];
  const { type, enum: values } = schema;
  if (type === undefined)
    return Array.isArray(values) && values.every((value) => typeof value === 'string') ? ['string'] : [];
  return Array.isArray(type) ? (type as unknown[]) : [type];
}

/** An example command with the required arguments. */
export function exampleHint({ name, inputSchema, command = `${PROGRAM} call` }: Callable): string {
  const words = (inputSchema.required ?? []).map((field) => `${field}=${exampleOf(inputSchema.properties[field])}`);
  return `Write it like this: ${[command, name, ...words].join(' ')}`;
}

const EXAMPLES: Readonly<Record<string, string>> = { array: "'[]'", object: "'{}'", boolean: 'true', null: 'null' };

function exampleOf(schema: unknown): string {
  const [allowed] = isJsonObject(schema) && Array.isArray(schema.enum) ? (schema.enum as unknown[]) : [];
  if (typeof allowed === 'string') return allowed;
  const [type] = typesOf(schema);
  return type === 'number' || type === 'integer' ? '1' : (EXAMPLES[String(type)] ?? '…');
}

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseJson } from '../../../parse/json/json-source.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { readInput } from '../running/host-process.ts';

/** The JSON that a word stands for: itself, a file, or standard input for `-`. */
export async function readJsonWord({ context, globals }: Invocation, word: string): Promise<unknown> {
  const { text, where } = await textOf(word, { cwd: globals.cwd, read: () => readInput(context) });
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  const { reason, line, column } = parsed;
  throw usageError(`${where} no JSON: ${reason} (line ${line}, column ${column}).`);
}

async function textOf(
  word: string,
  places: { readonly cwd: string; readonly read: () => Promise<Uint8Array | undefined> },
): Promise<{ readonly text: string; readonly where: string }> {
  if (/^[[{]/.test(word)) return { text: word, where: 'The word is' };
  if (word === '-') {
    const bytes = await places.read();
    if (bytes === undefined) throw usageError('There is no standard input to read.');
    return { text: new TextDecoder().decode(bytes), where: 'Standard input is' };
  }
  const file = word.replace(/^@/, '');
  const path = resolve(places.cwd, file);
  try {
    return { text: await readFile(path, 'utf8'), where: `${file} is` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('PathNotFound', `${file} cannot be read: ${reason}.`, { data: { path } });
  }
}

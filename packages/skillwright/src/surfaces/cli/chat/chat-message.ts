import { PROGRAM } from '../../../spec/program.ts';
import { usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { readInput } from '../running/host-process.ts';

/**
 * The one message of a conversation that is no conversation: words of the command line, standard input, or both.
 * `undefined` where a person wants to talk.
 */
export async function readMessage({ context, positionals, globals }: Invocation): Promise<string | undefined> {
  if (positionals.length === 0 && context.ask !== undefined) {
    if (globals.json) throw missing();
    return undefined;
  }
  if (positionals.length > 0 && !positionals.includes('-')) return meant(positionals.join(' '));
  const input = await readInput(context);
  if (input === undefined) throw missing();
  // Bytes that are no UTF-8 become replacement characters: a model could make nothing of them either.
  const text = new TextDecoder().decode(input);
  const words = positionals.length === 0 ? ['-'] : positionals;
  return meant(words.map((word) => (word === '-' ? text : word)).join('\n\n'));
}

function meant(message: string): string {
  if (message.trim() === '') throw missing();
  return message;
}

function missing(): ReturnType<typeof usageError> {
  return usageError('There is no message.', [
    `Give it as words: ${PROGRAM} chat "how many words are in this sentence?"`,
    `Or on standard input, or start ${PROGRAM} chat in a terminal, without --json.`,
  ]);
}

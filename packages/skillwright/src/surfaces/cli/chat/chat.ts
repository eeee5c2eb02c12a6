import { PROGRAM } from '../../../spec/program.ts';
import { usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { readInput, watchInterruption } from '../running/host-process.ts';
import { openChatSession } from './chat-session.ts';
import { converse } from './converse.ts';
import { sayOnce } from './say-once.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { context } = invocation;
  const session = await openChatSession(invocation);
  const interruption = watchInterruption(context);
  // Somebody who can be asked to go on can be talked with.
  const streams = context.ask === undefined ? undefined : { input: process.stdin, output: process.stdout };
  try {
    const message = await readMessage(invocation);
    if (message === undefined)
      return streams === undefined ? 0 : await converse(invocation, session, { streams, interruption });
    const code = await sayOnce(invocation, session, message, { interruption, streams });
    return interruption.exitCode() ?? code;
  } finally {
    interruption.stop();
    await session.close();
  }
}

/**
 * The one message of a conversation that is no conversation: words of the command line, standard input, or both.
 * `undefined` where a person wants to talk.
 */
async function readMessage({ context, positionals, globals }: Invocation): Promise<string | undefined> {
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

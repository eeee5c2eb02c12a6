import type { Invocation } from '../command.ts';
import { readMessage } from './chat-message.ts';
import { openChatSession } from './chat-session.ts';
import { converse } from './converse.ts';
import { sayOnce } from './say-once.ts';
import { watchInterruption } from '../running/host-process.ts';

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

import type { ServerContext } from '@modelcontextprotocol/server';
import type { ServedSkills } from './served-skills.ts';

/** Limits a message, because a script may print lines of any length. */
const MAX_MESSAGE = 500;

/**
 * Sends the last line that a run printed as progress, if the client asked for it. While a message is under way, newer
 * lines replace each other, so that a script that prints a lot does not flood the client.
 */
export function sendProgress(
  { followOutput }: ServedSkills,
  executionId: string,
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
): () => void {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  let isSending = false;
  let next: string | undefined;

  const send = async (): Promise<void> => {
    while (next !== undefined && !mcpReq.signal.aborted) {
      const message = next;
      next = undefined;
      progress += 1;
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
    }
  };

  return followOutput(executionId, (text) => {
    next = lastLine(text) ?? next;
    if (isSending) return;
    isSending = true;
    // A client that is gone needs no progress.
    void send()
      .catch(() => {})
      .finally(() => (isSending = false));
  });
}

function lastLine(text: string): string | undefined {
  const line = text
    .split(/[\r\n]+/)
    .findLast((part) => part.trim() !== '')
    ?.trim();
  return line === undefined ? undefined : line.slice(0, MAX_MESSAGE);
}

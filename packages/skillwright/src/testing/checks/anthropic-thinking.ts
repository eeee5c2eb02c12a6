import { listOf, recordOf, textOf, type JsonRecord } from '../../models/demo/formats/json-values.ts';
import type { Refusal } from '../../models/demo/formats/served-format.ts';
import { signatureOf } from '../../models/demo/formats/spoken-turn.ts';
import type { FormatRequest } from '../server/format-request.ts';

function refuse(message: string): Refusal {
  return { status: 400, message };
}

/** Thinking comes back as it was signed, and comes back at all with the tool calls that it led to. */
export function* thinkingRefusals(messages: readonly JsonRecord[], request: FormatRequest): Generator<Refusal> {
  const loop = toolLoopStart(messages);
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'assistant') continue;
    const blocks = listOf(content).map(recordOf);
    for (const [place, block] of blocks.entries()) {
      if (block.type === 'thinking') yield* signatureRefusals(block, `messages.${index}.content.${place}`);
    }
    if (index >= loop) yield* missingThinking(blocks, `messages.${index}.content.0`, request);
  }
}

/** Where the turn in progress begins: at the last words of the user that are more than tool results. */
function toolLoopStart(messages: readonly JsonRecord[]): number {
  return messages.findLastIndex(({ role, content }) => {
    const hasResults = listOf(content).some((part) => recordOf(part).type === 'tool_result');
    return role === 'user' && !hasResults;
  });
}

function* signatureRefusals({ thinking, signature }: JsonRecord, at: string): Generator<Refusal> {
  if (typeof signature !== 'string') yield refuse(`${at}.thinking.signature: Field required`);
  // Only what this server said can be checked; an empty text is thinking that the client was not shown.
  const isOwn = signature === signatureOf(textOf(thinking));
  if (!isOwn && textOf(thinking) !== '') yield refuse(`${at}: Invalid \`signature\` in \`thinking\` block`);
}

function* missingThinking(blocks: readonly JsonRecord[], at: string, request: FormatRequest): Generator<Refusal> {
  const use = blocks.find(({ type }) => type === 'tool_use');
  const first = blocks[0]?.type;
  if (use === undefined || first === 'thinking' || first === 'redacted_thinking') return;
  const turn = request.memory.turnOf(textOf(use.id));
  const isEnabled = recordOf(request.body.thinking).type === 'enabled';
  if (turn === undefined ? isEnabled : turn.reasoning !== '') {
    yield refuse(
      `${at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${textOf(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
  }
}

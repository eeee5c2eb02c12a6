import type { ModelClient } from '../../../packages/skillwright/src/index.ts';
import type { WireFormatName } from '../../../packages/skillwright/src/spec/wire.ts';

/** A third-party client that returns the replies of `reply`, and the requests that it received. */
export interface HostileClient extends ModelClient {
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
}

export function hostileClient(
  reply: (place: number, signal: AbortSignal) => unknown,
  format: WireFormatName = 'openai-chat',
): HostileClient {
  const bodies: Readonly<Record<string, unknown>>[] = [];
  return {
    format,
    model: 'm',
    bodies,
    send({ body, signal }) {
      bodies.push(structuredClone(body));
      return reply(bodies.length - 1, signal) as never;
    },
  };
}

/** A reply with these pieces: text or any other values. */
export async function replyOf(...pieces: readonly unknown[]): Promise<unknown> {
  async function* chunks(): AsyncGenerator<unknown, void, void> {
    for (const piece of pieces) yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
  }
  return { ok: true, status: 200, headers: {}, chunks: chunks() };
}

/** A whole response in the shape of OpenAI's chat API. */
export function chatReply(
  message: Readonly<Record<string, unknown>>,
  finish = 'stop',
  more: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const choice = { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish };
  return replyOf(JSON.stringify({ id: `c-${crypto.randomUUID()}`, model: 'm', choices: [choice], ...more }));
}

export function chatCall(name: string, args: unknown, id: string = `call_${crypto.randomUUID().slice(0, 8)}`): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

/** A response with tool calls. */
export function callsReply(...calls: readonly object[]): Promise<unknown> {
  return chatReply({ tool_calls: calls }, 'tool_calls');
}

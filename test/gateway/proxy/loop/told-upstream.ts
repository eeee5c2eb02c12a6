import type { WireBody } from '../../../../packages/skillwright/src/spec/wire.ts';
import { startGatewayTo, type Loop } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';
import { startUpstream, type Answer, type SeenRequest } from '../../upstream-server.ts';

/** A provider's response in its own format: JSON, or a whole stream as text. */
export type Told = WireBody | string | Answer;

/** A gateway with the handler `echo` for a provider that gives fixed answers and checks nothing. */
export interface ToldLoop extends Omit<Loop, 'model'> {
  readonly seen: readonly SeenRequest[];
  /** The bodies that the provider received, request by request. */
  bodies(): readonly WireBody[];
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Returns the body of a response as JSON. */
  ask(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<WireBody>;
}

/** Starts the provider and its gateway. The provider repeats its last answer. */
export async function startTold(answers: readonly Told[]): Promise<ToldLoop> {
  const upstream = await startUpstream((request, response, incoming) => {
    const told = answers[Math.min(upstream.seen.length, answers.length) - 1];
    if (typeof told === 'function') return told(request, response, incoming);
    const type = typeof told === 'string' ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type }).end(typeof told === 'string' ? told : JSON.stringify(told));
  });
  const baseUrl = (format: string): string => (format.startsWith('openai') ? `${upstream.url}/v1` : upstream.url);
  const gateway = await startGatewayTo({ baseUrl }, {}, [ECHO_HANDLER]);
  const post: ToldLoop['post'] = (path, body, headers = {}) =>
    fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return {
    ...gateway,
    seen: upstream.seen,
    bodies: () => upstream.seen.map(({ body }) => JSON.parse(body.toString()) as WireBody),
    post,
    ask: async (...request) => (await (await post(...request)).json()) as WireBody,
  };
}

/** A response of the Messages API. */
export function message(content: readonly WireBody[], stop = 'end_turn'): WireBody {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: stop, usage };
}

/** A response of the Responses API. */
export function answered(id: string, output: readonly WireBody[]): WireBody {
  return { id, object: 'response', created_at: 1, status: 'completed', model: 'm', output, error: null };
}

export function said(text: string, id = 'msg_1'): WireBody {
  return { type: 'message', id, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] };
}

/** A call of `echo`, which is hidden from clients, in the Responses API. */
export function echoCall(id: string, text = 'hidden'): WireBody {
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: 'echo',
    arguments: JSON.stringify({ text }),
  };
}

/** The same call in the Messages API. */
export function echoUse(id: string, text = 'hidden'): WireBody {
  return { type: 'tool_use', id, name: 'echo', input: { text } };
}

/** A response of OpenAI chat. */
export function completion(id: string, text: string): WireBody {
  return chat(id, { role: 'assistant', content: text }, 'stop');
}

/** A response of OpenAI chat with calls. */
export function completionCalls(id: string, calls: readonly (readonly [string, string, unknown])[]): WireBody {
  const made = calls.map(([callId, name, given]) => ({
    id: callId,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  return chat(id, { role: 'assistant', content: null, tool_calls: made }, 'tool_calls');
}

function chat(id: string, turn: WireBody, reason: string): WireBody {
  const choices = [{ index: 0, message: turn, finish_reason: reason }];
  return { id, object: 'chat.completion', created: 1, model: 'm', choices };
}

export function user(content: unknown): WireBody {
  return { role: 'user', content };
}

export function assistant(content: unknown): WireBody {
  return { role: 'assistant', content };
}

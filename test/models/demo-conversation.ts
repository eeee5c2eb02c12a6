import type { SkillsSession } from '../../packages/skillwright/src/index.ts';
import type { ModelClient } from '../../packages/skillwright/src/spec/model.ts';
import type { AssistantTurn, WireBody } from '../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';

/** A call by the model, with its arguments parsed. */
export interface MadeCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface DemoTalk {
  readonly texts: readonly string[];
  readonly calls: readonly MadeCall[];
  /** The conversation after the last turn; another user message can follow. */
  readonly body: WireBody;
}

const MAX_ROUNDS = 10;

/** Talks with a model until it makes no more calls, as a host does. */
export async function talk(
  model: ModelClient,
  session: SkillsSession,
  { input, stream }: { readonly input: string | readonly unknown[]; readonly stream: boolean },
): Promise<DemoTalk> {
  const format = wireFormat(model.format);
  const tools = session.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    inputSchema: { properties: {}, ...parameters, type: 'object' as const },
  }));
  let body = format.createRequest({ model: model.model, system: session.systemPrompt, input, tools, stream });
  const texts: string[] = [];
  const calls: MadeCall[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const turn = await ask(model, body, stream);
    texts.push(turn.text);
    const results = [];
    for (const { id, name, argumentsText } of turn.calls) {
      calls.push({ name, arguments: JSON.parse(argumentsText) as MadeCall['arguments'] });
      const { content, isError } = await session.execute(name, argumentsText);
      results.push({ callId: id, name, content, isError });
    }
    body = format.appendTurn(body, turn, results);
    if (results.length === 0) return { texts, calls, body };
  }
  throw new RangeError(`The model did not finish within ${MAX_ROUNDS} rounds.`);
}

/** One round. */
export async function ask(model: ModelClient, body: WireBody, stream: boolean): Promise<AssistantTurn> {
  const reply = await model.send({ body, stream, signal: new AbortController().signal });
  if (!reply.ok) throw new RangeError(reply.failure.message);
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.chunks) chunks.push(chunk);
  const format = wireFormat(model.format);
  if (!stream) return format.readResponse(JSON.parse(Buffer.concat(chunks).toString()));
  const reader = format.createStreamReader();
  for (const chunk of chunks) reader.read(chunk);
  reader.end();
  return reader.turn();
}

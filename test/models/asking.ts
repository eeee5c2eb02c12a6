import { onTestFinished } from 'vitest';
import { createModelClient } from '../../packages/skillwright/src/models/model-client.ts';
import type { ModelClientOptions } from '../../packages/skillwright/src/models/model-options.ts';
import type { ModelClient, ModelFailure, ModelReply } from '../../packages/skillwright/src/spec/model.ts';
import type { AssistantTurn, WireBody } from '../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';

export const KEY = 'sk-test-0123456789abcdef';

/** A client that is closed with its test. */
export function clientOf(options: Partial<ModelClientOptions>): ModelClient {
  const client = createModelClient({ format: 'openai-chat', model: 'scripted', apiKey: KEY, ...options });
  onTestFinished(() => client.close?.());
  return client;
}

export interface Question {
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
}

/** Sends a question about the weather. */
export function ask(client: ModelClient, question: Question = {}): Promise<ModelReply> {
  const { stream = false, signal = new AbortController().signal } = question;
  return client.send({ body: bodyFor(client, stream), stream, signal });
}

function bodyFor({ format, model }: ModelClient, stream: boolean): WireBody {
  return wireFormat(format).createRequest({ model, system: 'Be brief.', input: 'Weather?', tools: [], stream });
}

/** The failure of a reply; fails the test if the reply succeeded. */
export async function failureOf(asking: Promise<ModelReply>): Promise<ModelFailure> {
  const reply = await asking;
  if (reply.ok) throw new TypeError(`The model answered with ${reply.status}.`);
  return reply.failure;
}

/** The chunks of a reply; fails the test if it is a failure. */
export async function chunksOf(asking: Promise<ModelReply>): Promise<AsyncIterable<Uint8Array>> {
  const reply = await asking;
  if (!reply.ok) throw new TypeError(reply.failure.message);
  return reply.chunks;
}

export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

/** The model's turn, read in its format. */
export async function turnOf(client: ModelClient, question: Question = {}): Promise<AssistantTurn> {
  const format = wireFormat(client.format);
  const chunks = await chunksOf(ask(client, question));
  if (question.stream !== true) return format.readResponse(JSON.parse(await textOf(chunks)));
  const reader = format.createStreamReader();
  for await (const chunk of chunks) reader.read(chunk);
  reader.end();
  return reader.turn();
}

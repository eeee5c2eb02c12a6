import { listOf, recordOf, textOf, type JsonRecord } from './json-values.ts';
import type { ServedRequest } from './served-format.ts';
import { signatureOf, type SpokenCall, type SpokenTurn } from './spoken-turn.ts';

/** The whole conversation as items: the items of the previous response, and the input, with references resolved. */
export function itemsOf(request: ServedRequest): readonly JsonRecord[] {
  const { body, memory } = request;
  const earlier = memory.conversationOf(textOf(body.previous_response_id)) ?? [];
  return [...earlier, ...inputItems(body).map((item) => resolved(item, request))];
}

export function inputItems({ input }: JsonRecord): readonly JsonRecord[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input).map(recordOf);
}

function resolved(item: JsonRecord, { memory }: ServedRequest): JsonRecord {
  const known = item.type === 'item_reference' ? memory.item(textOf(item.id)) : undefined;
  return known?.isStored === true ? known.item : item;
}

/** The type of an item. An item with a role but no type is a message. */
export function itemType({ type, role }: JsonRecord): string {
  return typeof type === 'string' ? type : typeof role === 'string' ? 'message' : '';
}

function isStored({ body, provider }: ServedRequest): boolean {
  return provider === 'own' && body.store !== false;
}

export interface OutputItem {
  readonly type: 'reasoning' | 'message' | 'function_call';
  readonly id: string;
  /** The item as the final response holds it. */
  readonly whole: JsonRecord;
}

/** The model's output as items, in order. */
export function outputItems(turn: SpokenTurn, request: ServedRequest): readonly OutputItem[] {
  const { serial, reasoning, text, calls, stop } = turn;
  const status = stop === 'length' || stop === 'content-filter' ? 'incomplete' : 'completed';
  const message = { id: `msg_${serial}`, type: 'message', status, content: [contentPart(turn)], role: 'assistant' };
  return [
    ...(reasoning === ''
      ? []
      : [{ type: 'reasoning', id: `rs_${serial}`, whole: reasoningItem(turn, request) } as const]),
    ...(text === '' ? [] : [{ type: 'message', id: message.id, whole: message } as const]),
    ...calls.map((call, index) => {
      const id = `fc_${serial}_${index + 1}`;
      return { type: 'function_call', id, whole: callItem(id, call) } as const;
    }),
  ];
}

export function contentPart({ text, stop }: Pick<SpokenTurn, 'text' | 'stop'>): JsonRecord {
  return stop === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** OpenAI shows a summary of the reasoning; OpenRouter shows other models' reasoning in full. */
function reasoningItem({ serial, reasoning }: SpokenTurn, { body, provider }: ServedRequest): JsonRecord {
  const isEncrypted = listOf(body.include).includes('reasoning.encrypted_content');
  const encrypted = isEncrypted ? { encrypted_content: signatureOf(reasoning) } : {};
  const said =
    provider === 'own'
      ? { summary: [{ type: 'summary_text', text: reasoning }] }
      : { summary: [], content: [{ type: 'reasoning_text', text: reasoning }], status: 'completed' };
  return { id: `rs_${serial}`, type: 'reasoning', ...said, ...encrypted };
}

function callItem(id: string, { id: callId, name, argumentsText }: SpokenCall): JsonRecord {
  return { id, type: 'function_call', status: 'completed', arguments: argumentsText, call_id: callId, name };
}

/** Stores what a stateful provider would, so that later requests can be checked against it. */
export function keepOutput(turn: SpokenTurn, request: ServedRequest): void {
  const items = outputItems(turn, request);
  const reasoningId = items.find(({ type }) => type === 'reasoning')?.id;
  for (const { id, type, whole } of items) {
    const owed = type === 'reasoning' ? undefined : reasoningId;
    request.memory.keepItem(id, { item: whole, isStored: isStored(request), reasoningId: owed });
  }
  if (!isStored(request)) return;
  const conversation = [...itemsOf(request), ...items.map(({ whole }) => whole)];
  request.memory.keepConversation(responseId(turn), conversation);
}

export function responseId({ serial }: SpokenTurn): string {
  return `resp_${serial}`;
}

import type { JsonRecord } from './json-values.ts';
import { contentPart, outputItems, responseId, type OutputItem } from './openai-responses-items.ts';
import { sseFrame, type ServedRequest } from './served-format.ts';
import { pieces, type SpokenTurn } from './spoken-turn.ts';

interface Progress {
  readonly output: readonly JsonRecord[];
  readonly isDone: boolean;
}

/** The response with every field that a strict client expects; it repeats parts of the request. */
export function responseObject(turn: SpokenTurn, request: ServedRequest, { output, isDone }: Progress): JsonRecord {
  const { body } = request;
  return {
    id: responseId(turn),
    object: 'response',
    created_at: turn.created,
    status: isDone ? statusOf(turn) : 'in_progress',
    access_programs: null,
    background: false,
    completed_at: isDone && statusOf(turn) === 'completed' ? turn.created : null,
    error: isDone && turn.stop === 'error' ? { code: 'server_error', message: 'The model failed to answer.' } : null,
    frequency_penalty: 0,
    incomplete_details: isDone ? incompleteDetails(turn) : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: body.metadata ?? {},
    model: turn.model,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: isDone && turn.stop !== 'error' ? usageOf(turn) : null,
    user: null,
  };
}

function statusOf({ stop }: SpokenTurn): 'completed' | 'incomplete' | 'failed' {
  if (stop === 'error') return 'failed';
  return stop === 'length' || stop === 'content-filter' ? 'incomplete' : 'completed';
}

function incompleteDetails(turn: SpokenTurn): JsonRecord | null {
  if (statusOf(turn) !== 'incomplete') return null;
  return { reason: turn.stop === 'length' ? 'max_output_tokens' : 'content_filter' };
}

function usageOf({ usage }: SpokenTurn): JsonRecord {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cachedInput, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

export function responsesFrames(turn: SpokenTurn, request: ServedRequest): readonly string[] {
  const items = outputItems(turn, request);
  const begun = responseObject(turn, request, { output: [], isDone: false });
  const output = items.map(({ whole }) => whole);
  const events: readonly JsonRecord[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, index) => itemEvents(item, index, turn)),
    { type: `response.${statusOf(turn)}`, response: responseObject(turn, request, { output, isDone: true }) },
  ];
  const frames = events.map((event, number) => sseFrame({ ...event, sequence_number: number }, String(event.type)));
  return request.provider === 'own' ? frames : [...frames, sseFrame('[DONE]')];
}

function itemEvents(item: OutputItem, index: number, turn: SpokenTurn): readonly JsonRecord[] {
  const place = { output_index: index };
  const at = { item_id: item.id, output_index: index };
  return [
    { type: 'response.output_item.added', ...place, item: { ...item.whole, ...beginningOf(item) } },
    ...insideEvents(item, at, turn),
    { type: 'response.output_item.done', ...place, item: item.whole },
  ];
}

/** The item at its beginning, with its content still empty. */
function beginningOf({ type, whole }: OutputItem): JsonRecord {
  if (type === 'function_call') return { status: 'in_progress', arguments: '' };
  if (type === 'message') return { status: 'in_progress', content: [] };
  return whole.content === undefined ? { summary: [] } : { content: [], status: 'in_progress' };
}

function insideEvents(item: OutputItem, at: JsonRecord, turn: SpokenTurn): readonly JsonRecord[] {
  const { frameLength } = turn;
  if (item.type === 'message') return messageEvents(at, turn);
  if (item.type === 'reasoning') {
    return item.whole.content === undefined ? summaryEvents(at, turn) : reasoningEvents(at, turn);
  }
  const text = String(item.whole.arguments);
  const type = 'response.function_call_arguments';
  return [
    ...pieces(text, frameLength).map((delta) => ({ type: `${type}.delta`, ...at, delta })),
    { type: `${type}.done`, ...at, name: item.whole.name, arguments: text },
  ];
}

function messageEvents(item: JsonRecord, { text, stop, frameLength }: SpokenTurn): readonly JsonRecord[] {
  const at = { ...item, content_index: 0 };
  const isRefusal = stop === 'refusal';
  const type = isRefusal ? 'response.refusal' : 'response.output_text';
  const extra = isRefusal ? {} : { logprobs: [] };
  return [
    { type: 'response.content_part.added', ...at, part: contentPart({ text: '', stop }) },
    ...pieces(text, frameLength).map((delta) => ({ type: `${type}.delta`, ...at, delta, ...extra })),
    { type: `${type}.done`, ...at, ...(isRefusal ? { refusal: text } : { text }), ...extra },
    { type: 'response.content_part.done', ...at, part: contentPart({ text, stop }) },
  ];
}

function summaryEvents(item: JsonRecord, { reasoning, frameLength }: SpokenTurn): readonly JsonRecord[] {
  const at = { ...item, summary_index: 0 };
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
    ...pieces(reasoning, frameLength).map((delta) => ({
      type: 'response.reasoning_summary_text.delta',
      ...at,
      delta,
    })),
    { type: 'response.reasoning_summary_text.done', ...at, text: reasoning },
    { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text: reasoning } },
  ];
}

function reasoningEvents(item: JsonRecord, { reasoning, frameLength }: SpokenTurn): readonly JsonRecord[] {
  const at = { ...item, content_index: 0 };
  return [
    { type: 'response.content_part.added', ...at, part: { type: 'reasoning_text', text: '' } },
    ...pieces(reasoning, frameLength).map((delta) => ({ type: 'response.reasoning_text.delta', ...at, delta })),
    { type: 'response.reasoning_text.done', ...at, text: reasoning },
    { type: 'response.content_part.done', ...at, part: { type: 'reasoning_text', text: reasoning } },
  ];
}

import fc from 'fast-check';
import type { WireFormatName } from '../../../packages/skillwright/src/spec/wire.ts';

/** A conversation independent of formats: texts with their roles. */
export interface Round {
  readonly question: string;
  /** Base64 of a picture beside the question. */
  readonly picture: string | undefined;
  readonly answer: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: Json;
    readonly result: string;
  }[];
}

type Json = Readonly<Record<string, unknown>>;

/** Variations that clients apply to received content and to what they send again. */
export interface Spelling {
  /** Content as a list of parts instead of a text, if both are allowed. */
  readonly inParts: boolean;
  /** Text is split as in the received chunks. */
  readonly cutsText: boolean;
  readonly keepsReasoning: boolean;
  /** Fields that the provider or the client's own library adds. */
  readonly hasExtras: boolean;
  /** Ids and states of items, and of calls if they are optional. */
  readonly keepsLabels: boolean;
  readonly reversesKeys: boolean;
  readonly addsSpace: boolean;
  readonly marksCache: boolean;
  readonly snakeCase: boolean;
}

const words = fc.string({
  minLength: 1,
  maxLength: 12,
  unit: fc.constantFrom('a', 'b', 'ä', '東', '😀', '"', '\\', '1'),
});
const call = fc.record({
  name: fc.constantFrom('weather', 'clock'),
  input: fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 3,
  }),
  result: words,
});
const round = fc.record({
  question: words,
  picture: fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }),
  answer: fc.oneof(words, fc.constant('')),
  calls: fc.array(call, { maxLength: 3 }),
});

/** Each call has its own id, and each round has text. */
export const conversations: fc.Arbitrary<readonly Round[]> = fc
  .array(round, { minLength: 1, maxLength: 4 })
  .map((rounds) =>
    rounds.map((said, at) => ({
      ...said,
      answer: said.calls.length === 0 && said.answer === '' ? 'Done.' : said.answer,
      calls: said.calls.map((made, index) => ({ ...made, id: `call_${at}_${index}` })),
    })),
  );

export const spellings: fc.Arbitrary<Spelling> = fc.record({
  inParts: fc.boolean(),
  cutsText: fc.boolean(),
  keepsReasoning: fc.boolean(),
  hasExtras: fc.boolean(),
  keepsLabels: fc.boolean(),
  reversesKeys: fc.boolean(),
  addsSpace: fc.boolean(),
  marksCache: fc.boolean(),
  snakeCase: fc.boolean(),
});

export const PLAIN: Spelling = {
  inParts: false,
  cutsText: false,
  keepsReasoning: true,
  hasExtras: false,
  keepsLabels: true,
  reversesKeys: false,
  addsSpace: false,
  marksCache: false,
  snakeCase: false,
};

/** The history that a client sends for a conversation. */
export function spell(format: WireFormatName, rounds: readonly Round[], spelling: Spelling): readonly unknown[] {
  const history = rounds.flatMap((said) => ROUNDS[format](said, spelling));
  return spelling.reversesKeys ? (reversed(history) as unknown[]) : history;
}

type Entries = (said: Round, spelling: Spelling) => readonly Json[];

const ROUNDS: Readonly<Record<WireFormatName, Entries>> = {
  'openai-chat': chatRound,
  'openai-responses': responsesRound,
  'anthropic-messages': messagesRound,
  gemini: geminiRound,
};

function chatRound(said: Round, spelling: Spelling): readonly Json[] {
  const mark = spelling.marksCache ? { cache_control: { type: 'ephemeral' } } : {};
  const picture =
    said.picture === undefined ? [] : [{ type: 'image_url', image_url: { url: `data:,${said.picture}` }, ...mark }];
  const asked = texts(said.question, spelling).map((text) => ({ type: 'text', text, ...mark }));
  const inParts = spelling.inParts || picture.length > 0;
  const answers = texts(said.answer, spelling).map((text) => ({ type: 'text', text }));
  const calls = said.calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: json(input, spelling) },
  }));
  return [
    { role: 'user', content: inParts ? [...asked, ...picture] : spaced(said.question, spelling) },
    {
      role: 'assistant',
      content: said.answer === '' ? null : spelling.inParts ? answers : spaced(said.answer, spelling),
      ...(calls.length === 0 ? (spelling.hasExtras ? { tool_calls: [] } : {}) : { tool_calls: calls }),
      ...(spelling.keepsReasoning ? { reasoning_content: 'Hm.' } : {}),
      ...(spelling.hasExtras ? { refusal: null, annotations: [], audio: null, parsed: null } : {}),
    },
    ...said.calls.map(({ id, result }) => ({
      role: 'tool',
      tool_call_id: id,
      content: spelling.inParts ? [{ type: 'text', text: result, ...mark }] : spaced(result, spelling),
    })),
  ];
}

function responsesRound(said: Round, spelling: Spelling): readonly Json[] {
  const label = (id: string): Json => (spelling.keepsLabels ? { id, status: 'completed' } : {});
  const type = spelling.hasExtras ? { type: 'message' } : {};
  const picture = said.picture === undefined ? [] : [{ type: 'input_image', image_url: `data:,${said.picture}` }];
  const asked = texts(said.question, spelling).map((text) => ({ type: 'input_text', text }));
  const inParts = spelling.inParts || picture.length > 0;
  const extras = spelling.hasExtras ? { annotations: [], logprobs: [], parsed: null } : {};
  const answers = texts(said.answer, spelling).map((text) => ({ type: 'output_text', text, ...extras }));
  const message = { type: 'message', role: 'assistant', content: answers, ...label('msg_1') };
  const easy = { role: 'assistant', content: spaced(said.answer, spelling) };
  const calls = said.calls.map(({ id, name, input }) => ({
    ...label(`fc_${id}`),
    type: 'function_call',
    call_id: id,
    name,
    arguments: json(input, spelling),
    ...(spelling.hasExtras ? { parsed_arguments: null } : {}),
  }));
  const spoken = said.answer === '' ? [] : [spelling.inParts || spelling.keepsLabels ? message : easy];
  return [
    { ...type, role: 'user', content: inParts ? [...asked, ...picture] : spaced(said.question, spelling) },
    ...(spelling.keepsReasoning ? [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }] : []),
    ...(spelling.cutsText ? [...calls, ...spoken] : [...spoken, ...calls]),
    ...said.calls.map(({ id, result }) => ({
      ...label(`out_${id}`),
      type: 'function_call_output',
      call_id: id,
      output: spelling.inParts ? [{ type: 'input_text', text: result }] : spaced(result, spelling),
    })),
  ];
}

function messagesRound(said: Round, spelling: Spelling): readonly Json[] {
  const mark = spelling.marksCache ? { cache_control: { type: 'ephemeral' } } : {};
  const source = { type: 'base64', media_type: 'image/png', data: said.picture };
  const picture = said.picture === undefined ? [] : [{ type: 'image', source, ...mark }];
  const asked = texts(said.question, spelling).map((text) => ({ type: 'text', text, ...mark }));
  const inParts = spelling.inParts || picture.length > 0;
  const extras = spelling.hasExtras ? { citations: null } : {};
  const answers = texts(said.answer, spelling).map((text) => ({ type: 'text', text, ...extras }));
  const calls = said.calls.map(({ id, name, input }) => ({
    type: 'tool_use',
    id,
    name,
    input,
    ...(spelling.hasExtras ? { caller: { type: 'direct' } } : {}),
  }));
  const thinking = spelling.keepsReasoning ? [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] : [];
  const isText = calls.length === 0 && !spelling.inParts;
  const results = said.calls.map(({ id, result }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: spelling.inParts ? [{ type: 'text', text: result, ...mark }] : spaced(result, spelling),
    ...(spelling.hasExtras ? { is_error: false } : {}),
    ...mark,
  }));
  const answered = spelling.cutsText ? results.map((block) => [block]) : results.length === 0 ? [] : [results];
  return [
    { role: 'user', content: inParts ? [...asked, ...picture] : spaced(said.question, spelling) },
    { role: 'assistant', content: isText ? spaced(said.answer, spelling) : [...thinking, ...answers, ...calls] },
    ...answered.map((content) => ({ role: 'user', content })),
  ];
}

function geminiRound(said: Round, spelling: Spelling): readonly Json[] {
  const named = (field: string): string =>
    spelling.snakeCase ? field.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`) : field;
  const picture =
    said.picture === undefined ? [] : [{ [named('inlineData')]: { mimeType: 'image/png', data: said.picture } }];
  const signature = spelling.hasExtras ? { [named('thoughtSignature')]: 's' } : {};
  const id = (own: string): Json => (spelling.keepsLabels ? { id: own } : {});
  const parts = [
    ...(spelling.keepsReasoning ? [{ text: 'Hm.', thought: true }] : []),
    ...texts(said.answer, spelling).map((text) => ({ text, ...signature })),
    ...said.calls.map((made) => ({
      [named('functionCall')]: { ...id(made.id), name: made.name, args: made.input },
      ...signature,
    })),
    ...(spelling.hasExtras ? [{ text: '' }] : []),
  ];
  const responses = said.calls.map((made) => ({
    [named('functionResponse')]: { ...id(made.id), name: made.name, response: { output: made.result } },
  }));
  return [
    {
      ...(spelling.inParts ? {} : { role: 'user' }),
      parts: [...texts(said.question, spelling).map((text) => ({ text })), ...picture],
    },
    ...(spelling.cutsText ? parts.map((part) => ({ role: 'model', parts: [part] })) : [{ role: 'model', parts }]),
    ...(responses.length === 0 ? [] : [{ role: 'user', parts: responses }]),
  ];
}

function texts(text: string, { cutsText, ...spelling }: Spelling): readonly string[] {
  if (text === '') return [];
  const half = Math.ceil(text.length / 2);
  const pieces = cutsText ? [text.slice(0, half), text.slice(half)] : [text];
  return pieces.filter((piece) => piece !== '').map((piece) => spaced(piece, { ...spelling, cutsText }));
}

function spaced(text: string, { addsSpace }: Spelling): string {
  return addsSpace ? `\n ${text}\u00a0\n\n` : text;
}

function json(value: Json, { addsSpace, reversesKeys }: Spelling): string {
  return JSON.stringify(reversesKeys ? reversed(value) : value, undefined, addsSpace ? 2 : undefined);
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

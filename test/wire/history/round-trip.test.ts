import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AssistantTurn, WireBody, WireFormatName, WireStep } from '../../../packages/skillwright/src/spec/wire.ts';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';

/** Answers without content. */
const NOTHING = new Set(['error-only', 'no-content']);

/** Answers that may follow each other: all but the last call tools. */
const ROUNDS = /^(?:round-\d|parallel-calls|text)$/;

const HIDDEN = ['load_skill', 'use_skill'];

/** Its calls have no ids, and generated ids are never sent to a client. */
const WITHOUT_IDS = 'no-index';

function fixtures(format: WireFormatName, ending: '.json' | '.sse'): readonly string[] {
  const files = readdirSync(new URL(`../fixtures/${format}/`, import.meta.url));
  return files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));
}

function contentOf(format: WireFormatName, file: string): Buffer {
  return readFileSync(new URL(`../fixtures/${format}/${file}`, import.meta.url));
}

function readStream(format: WireFormatName, bytes: Uint8Array): { steps: readonly WireStep[]; turn: AssistantTurn } {
  const reader = wireFormat(format).createStreamReader();
  const steps = [...reader.read(bytes), ...reader.end()];
  return { steps, turn: reader.turn() };
}

/** The entries that a client adds to its history for a whole answer: exactly what it received. */
function clientEntries(format: WireFormatName, response: WireBody): readonly unknown[] {
  switch (format) {
    case 'openai-chat':
      return [(response.choices as readonly WireBody[])[0]?.message];
    case 'openai-responses':
      return (response.output ?? []) as readonly unknown[];
    case 'anthropic-messages':
      return [{ role: response.role, content: response.content }];
    case 'gemini':
      return [response]
        .flat()
        .map((chunk) => ((chunk.candidates ?? []) as WireBody[]).find(({ index = 0 }) => index === 0)?.content)
        .filter((content) => Object.keys(content ?? {}).length > 0);
  }
}

/** The entries that are read from a client's request after a question. */
function readBack(format: WireFormatName, entries: readonly unknown[]): string | undefined {
  const question = format === 'gemini' ? { role: 'user', parts: [{ text: 'Go.' }] } : { role: 'user', content: 'Go.' };
  const turns = wireFormat(format).readHistory([question, ...entries]);
  expect(turns.length).toBeLessThanOrEqual(2);
  return turns[1]?.canonical;
}

describe.each(WIRE_FORMATS)('an answer in %s', (name) => {
  const format = wireFormat(name);
  const whole = fixtures(name, '.json').filter((file) => !NOTHING.has(file));

  it.each(whole)('is recognized unchanged: %s', (file) => {
    const response = JSON.parse(contentOf(name, `${file}.json`).toString()) as WireBody;
    const turn = format.readResponse(response);
    const entries = clientEntries(name, response);
    if (entries.length > 0) expect(readBack(name, entries)).toBe(format.canonicalTurn(turn));
    else expect(turn.text + turn.calls.map((call) => call.name).join('')).toBe('');
  });

  it.each(whole.filter((file) => fixtures(name, '.sse').includes(file)))(
    'is the same streamed and in one piece: %s',
    (file) => {
      const turn = format.readResponse(JSON.parse(contentOf(name, `${file}.json`).toString()) as WireBody);
      const streamed = readStream(name, contentOf(name, `${file}.sse`));
      expect(format.canonicalTurn(streamed.turn)).toBe(format.canonicalTurn(turn));
    },
  );

  it.each(fixtures(name, '.sse'))('is recognized after the stream %s', (file) => {
    const { turn } = readStream(name, contentOf(name, `${file}.sse`));
    const entries = format.historyEntries(turn, []);
    const isSentBack = entries.length > 0 && turn.stop !== 'error' && file !== WITHOUT_IDS;
    if (isSentBack) expect(readBack(name, entries)).toBe(format.canonicalTurn(turn));
    expect(format.canonicalTurn(turn)).toMatch(/^\["assistant"/);
  });

  it('has the entries that the next request would send', () => {
    const files = whole.filter((file) => ROUNDS.test(file));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const turn = format.readResponse(JSON.parse(contentOf(name, `${file}.json`).toString()) as WireBody);
      const results = turn.calls.map(({ id, name: tool }) => ({
        callId: id,
        name: tool,
        content: [{ type: 'text' as const, text: 'done' }],
        isError: false,
      }));
      const body = format.appendTurn({ model: 'm', [format.historyField]: [] }, turn, results);
      expect(format.historyEntries(turn, results)).toEqual(body[format.historyField]);
    }
  });
});

describe.each(WIRE_FORMATS)('several rounds in %s that a client sees as one answer', (name) => {
  const format = wireFormat(name);
  const files = fixtures(name, '.json').filter((file) => ROUNDS.test(file));
  const isHidden = (tool: string): boolean => HIDDEN.includes(tool);

  it('are recognized, streamed or merged, without a trace of hidden parts', () => {
    expect(files.length).toBeGreaterThan(1);
    const writer = format.createStreamWriter({ isHidden, includesUsage: true });
    const frames = files.flatMap((file, index) => {
      const before = index === 0 ? [] : writer.nextRound();
      return [
        ...before,
        ...readStream(name, contentOf(name, `${file}.sse`)).steps.flatMap((step) => writer.write(step)),
      ];
    });
    const sent = [...frames, ...writer.finish()].map(({ raw }) => raw).join('');
    const streamed = readStream(name, new TextEncoder().encode(sent)).turn;
    const merged = format.readResponse(
      format.mergeResponses(
        files.map((file) => ({
          response: JSON.parse(contentOf(name, `${file}.json`).toString()) as WireBody,
          isHidden,
        })),
      ),
    );
    expect(format.canonicalTurn(streamed)).toBe(format.canonicalTurn(merged));
    expect(readBack(name, format.historyEntries(streamed, []))).toBe(format.canonicalTurn(merged));
    for (const tool of HIDDEN) expect(format.canonicalTurn(merged)).not.toContain(tool);
  });
});

describe('a call without an id', () => {
  it('is recognized if the client sends it back without an id', () => {
    const call = { type: 'function', function: { name: 'f', arguments: '{}' } };
    const chat = wireFormat('openai-chat');
    const message = { role: 'assistant', content: null, tool_calls: [call, { ...call, id: 'given' }] };
    const turn = chat.readResponse({ id: 'chatcmpl-1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
    expect(readBack('openai-chat', [message])).toBe(chat.canonicalTurn(turn));
    const anthropic = wireFormat('anthropic');
    const content = [{ type: 'tool_use', name: 'f', input: {} }];
    const said = anthropic.readResponse({ id: 'msg_1', type: 'message', content, stop_reason: 'tool_use' });
    expect(readBack('anthropic-messages', [{ role: 'assistant', content }])).toBe(anthropic.canonicalTurn(said));
  });
});

describe('a refusal', () => {
  const message = { role: 'assistant', content: null, refusal: 'I must not.' };

  it('is recognized as a field, as a part or as text', () => {
    const format = wireFormat('openai-chat');
    const turn = format.readResponse({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] });
    const shown = format.canonicalTurn(turn);
    expect(readBack('openai-chat', [message])).toBe(shown);
    const part = { type: 'refusal', refusal: 'I must not.' };
    expect(readBack('openai-chat', [{ role: 'assistant', content: [part] }])).toBe(shown);
    expect(readBack('openai-chat', [{ role: 'assistant', content: 'I must not.' }])).toBe(shown);
  });
});

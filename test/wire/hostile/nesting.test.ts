import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type WireFormatName, type WireStep } from '../../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';

const LEVELS = 20_000;
const LIST = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`;
const OBJECT = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;

const event = (text: string): string => `data: ${text}\n\n`;
const CHAT_HIDDEN = event(
  '{"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"hidden","arguments":"{}"}}]}}]}',
);
const CHAT_END = event('{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}');
const START = event(
  '{"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}',
);
const HIDDEN = event(
  '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"hidden","input":{}}}',
);
const STOP = event('{"type":"content_block_stop","index":0}');
const DELTA = '"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}';

/** Streams with JSON that can be parsed but not serialized, each in a separate round. */
const STREAMS: readonly (readonly [WireFormatName, string, readonly string[]])[] = [
  ['openai-chat', 'an error', [event(`{"error":{"code":${LIST}}}`)]],
  [
    'openai-chat',
    'arguments',
    [
      event(
        `{"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":${OBJECT}}}]},"finish_reason":"tool_calls"}]}`,
      ),
    ],
  ],
  [
    'openai-chat',
    'an unknown field of a later round',
    [
      CHAT_HIDDEN + CHAT_END,
      event(`{"id":"2","x":${LIST},"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`),
    ],
  ],
  ['openai-chat', 'the envelope', [event(`{"id":"1","created":${LIST},"choices":[]}`) + CHAT_HIDDEN + CHAT_END, '']],
  [
    'openai-responses',
    'arguments',
    [
      event(
        `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","name":"x","arguments":${OBJECT}}}`,
      ),
    ],
  ],
  [
    'anthropic-messages',
    'input',
    [
      START +
        event(
          `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"x","input":${OBJECT}}}`,
        ) +
        STOP,
    ],
  ],
  [
    'anthropic-messages',
    'a block after a hidden one, its fields in an odd order',
    [START + HIDDEN + STOP + event(`{"index":1,"x":${LIST},"type":"content_block_start","content_block":{}}`)],
  ],
  ['anthropic-messages', 'the end', [START + HIDDEN + STOP + event(`{"type":"message_delta","x":${LIST},${DELTA}}`)]],
  [
    'anthropic-messages',
    'usage',
    [START.replace('"input_tokens":1', `"input_tokens":1,"x":${LIST}`) + HIDDEN + STOP, START],
  ],
  [
    'gemini',
    'arguments',
    [event(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":${OBJECT}}}]}}]}`)],
  ],
  [
    'gemini',
    'usage',
    [
      event(
        `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"hidden"}}]}}],"usageMetadata":{"x":${LIST}}}`,
      ),
      '',
    ],
  ],
];

function read(format: WireFormatName, text: string): { steps: readonly WireStep[]; echo: unknown } {
  const reader = wireFormat(format).createStreamReader();
  const steps = [...reader.read(new TextEncoder().encode(text)), ...reader.end()];
  return { steps, echo: reader.turn().echo };
}

describe('JSON that is nested too deep to serialize', () => {
  it.each(STREAMS)('in %s, in %s, stops neither a reader nor a writer', (format, _what, rounds) => {
    for (const holdsText of [false, true]) {
      const isHidden = (name: string): boolean => name === 'hidden';
      const writer = wireFormat(format).createStreamWriter({ isHidden, includesUsage: true, holdsText });
      const frames = rounds.flatMap((text, at) => {
        const written = read(format, text).steps.flatMap((step) => writer.write(step));
        return [...written, ...(at < rounds.length - 1 ? writer.nextRound() : writer.finish())];
      });
      expect(frames.map(({ raw }) => raw).join('')).not.toContain('"hidden"');
    }
  });

  const calls: Readonly<Record<WireFormatName, string>> = {
    'openai-chat': `{"choices":[{"index":0,"message":{"tool_calls":[{"id":"a","function":{"name":"x","arguments":${OBJECT}}}]}}]}`,
    'openai-responses': `{"output":[{"type":"function_call","name":"x","call_id":"a","arguments":${OBJECT}}]}`,
    'anthropic-messages': `{"content":[{"type":"tool_use","id":"a","name":"x","input":${OBJECT}}]}`,
    gemini: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":${OBJECT}}}]},"finishReason":"STOP"}]}`,
  };

  it.each(WIRE_FORMATS)('in arguments of %s is reported as invalid, and can be sent back', (format) => {
    const turn = wireFormat(format).readResponse(JSON.parse(calls[format]));
    expect(turn.calls).toMatchObject([{ name: 'x', argumentsText: '(nested too deep)' }]);
    const body = wireFormat(format).appendTurn({ messages: [], input: [], contents: [] }, turn, []);
    expect(JSON.stringify(body)).toContain('"x"');
  });

  it('in an error is reported like other errors', () => {
    expect(wireFormat('openai-chat').readResponse(JSON.parse(`{"error":{"code":${LIST}}}`))).toMatchObject({
      stop: 'error',
      error: 'The provider reported an error without a message: ',
    });
  });
});

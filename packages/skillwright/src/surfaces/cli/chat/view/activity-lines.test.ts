import { describe, expect, it } from 'vitest';
import { callLine, resultLine } from './activity-lines.ts';

describe('a line about a call', () => {
  const start = (args: string) => ({
    type: 'tool-start' as const,
    callId: '1',
    toolName: 'load_skill',
    arguments: args,
  });

  it.each([
    ['{"skill":"word-count"}', '→ load_skill word-count'],
    ['{"text":"two words"}', '→ load_skill "two words"'],
    ['{"a":1,"b":"x","c":["y"]}', '→ load_skill a=1 b=x c=["y"]'],
    ['{}', '→ load_skill'],
    ['', '→ load_skill'],
    ['{"half', '→ load_skill {"half'],
    ['[1]', '→ load_skill [1]'],
  ])('has its arguments as words: %s', (args, expected) => {
    expect(callLine(start(args), 80)).toBe(expected);
  });

  it('is cut to the width', () => {
    expect(callLine(start(`{"text":"${'x'.repeat(5_000)}"}`), 40)).toHaveLength(40);
    expect(callLine(start('x'.repeat(1_000_000)), 1_000_000)).toHaveLength('→ load_skill '.length + 2_000);
  });
});

describe('a line about a result', () => {
  const end = (result: string, durationMs = 73.2) => ({
    type: 'tool-end' as const,
    callId: '1',
    toolName: 'count',
    result,
    isError: false,
    durationMs,
    executionId: undefined,
  });

  it.each([
    ['12 words', '← 12 words (73 ms)'],
    ['\n\nfirst\nsecond\n', '← first … 1 more line (73 ms)'],
    ['a\nb\nc', '← a … 2 more lines (73 ms)'],
    ['', '← nothing (73 ms)'],
  ])('has its first line and how long it took: %j', (result, expected) => {
    expect(resultLine(end(result), false, 80)).toBe(expected);
  });

  it('names the tool among several, counts seconds, and fits the width', () => {
    expect(resultLine(end('x', 1_234), true, 80)).toBe('← count: x (1.2 s)');
    expect(resultLine(end('x'.repeat(5_000_000)), true, 60)).toHaveLength(60);
  });
});

import { describe, expect, it } from 'vitest';
import { callLine, resultLine, createCleanStream } from './turn-view.ts';
import { toBlock } from '../../text/terminal-text.ts';

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
  ])('shows its arguments as words: %s', (args, expected) => {
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
  ])('shows its first line and its duration: %j', (result, expected) => {
    expect(resultLine(end(result), false, 80)).toBe(expected);
  });

  it('names the tool if several calls run, shows seconds, and fits the width', () => {
    expect(resultLine(end('x', 1_234), true, 80)).toBe('← count: x (1.2 s)');
    expect(resultLine(end('x'.repeat(5_000_000)), true, 60)).toHaveLength(60);
  });
});

function cleaned(pieces: readonly string[]): string {
  const stream = createCleanStream();
  return pieces.map((piece) => stream.add(piece)).join('') + stream.end();
}

describe('text that is cleaned while it streams', () => {
  const text = 'a\u001B[1;31mb\u001B]0;title\u0007c\r\nd\re 😀\u009B2Jf\u001BPx\u001B\\g\u001B(Bh';

  it('is the same for any chunks', () => {
    const whole = toBlock(text);
    expect(whole).toBe('abc\nd\ne 😀fgh');
    expect(cleaned([...Array(text.length).keys()].map((place) => text.charAt(place)))).toBe(whole);
    for (let place = 0; place <= text.length; place += 1)
      expect(cleaned([text.slice(0, place), text.slice(place)])).toBe(whole);
  });

  it('is shown at once if it is plain', () => {
    const stream = createCleanStream();
    expect(stream.add('plain ')).toBe('plain ');
    expect(stream.add('text\n')).toBe('text\n');
    expect(stream.end()).toBe('');
  });

  it('is not held back forever by an escape sequence without end', () => {
    const stream = createCleanStream();
    expect(stream.add('\u001B]0;')).toBe('');
    const shown = Array.from({ length: 100 }, () => stream.add('0123456789')).join('');
    expect(shown.length).toBeGreaterThan(700);
    expect(shown + stream.end()).not.toContain('\u001B');
  });

  it('never ends with half a character', () => {
    expect(cleaned(['\uD83D'])).toBe('\uFFFD');
    expect(cleaned(['\uD83D', '\uDE00'])).toBe('😀');
  });
});

import { describe, expect, it } from 'vitest';
import { toBlock } from '../../text/terminal-text.ts';
import { createCleanStream } from './clean-stream.ts';

function cleaned(pieces: readonly string[]): string {
  const stream = createCleanStream();
  return pieces.map((piece) => stream.add(piece)).join('') + stream.end();
}

describe('a clean stream', () => {
  const text = 'a\u001B[1;31mb\u001B]0;title\u0007c\r\nd\re 😀\u009B2Jf\u001BPx\u001B\\g\u001B(Bh';

  it('shows the same, wherever a text is cut into pieces', () => {
    const whole = toBlock(text);
    expect(whole).toBe('abc\nd\ne 😀fgh');
    expect(cleaned([...Array(text.length).keys()].map((place) => text.charAt(place)))).toBe(whole);
    for (let place = 0; place <= text.length; place += 1)
      expect(cleaned([text.slice(0, place), text.slice(place)])).toBe(whole);
  });

  it('shows plain text at once', () => {
    const stream = createCleanStream();
    expect(stream.add('plain ')).toBe('plain ');
    expect(stream.add('text\n')).toBe('text\n');
    expect(stream.end()).toBe('');
  });

  it('does not wait for ever for the end of a sequence', () => {
    const stream = createCleanStream();
    expect(stream.add('\u001B]0;')).toBe('');
    const shown = Array.from({ length: 100 }, () => stream.add('0123456789')).join('');
    expect(shown.length).toBeGreaterThan(700);
    expect(shown + stream.end()).not.toContain('\u001B');
  });

  it('never shows half a character at the end', () => {
    expect(cleaned(['\uD83D'])).toBe('\uFFFD');
    expect(cleaned(['\uD83D', '\uDE00'])).toBe('😀');
  });
});

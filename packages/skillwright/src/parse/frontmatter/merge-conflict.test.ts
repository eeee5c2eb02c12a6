import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conflictLine, resolveConflicts } from './merge-conflict.ts';

const CONFLICT = '<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> topic\n';

describe('resolveConflicts', () => {
  it.each<[string, string, string, number, number]>([
    ['the first side', `x: 0\n${CONFLICT}y: 3\n`, 'x: 0\n\na: 1\n\n\n\ny: 3\n', 2, 1],
    ['the second side if the first is blank', '<<<<<<<\n \n=======\na: 2\n>>>>>>>', '\n\n\na: 2\n', 1, 1],
    [
      'the first side, and not the common ancestor',
      '<<<<<<< a\n1\n||||||| b\n0\n=======\n2\n>>>>>>> c',
      '\n1\n\n\n\n\n',
      1,
      1,
    ],
    [
      'the first side in a text with CRLF line ends',
      '<<<<<<< a\r\n1\r\n=======\r\n2\r\n>>>>>>> c\r\n',
      '\n1\r\n\n\n\n',
      1,
      1,
    ],
    ['the first side of each of several conflicts', `${CONFLICT}${CONFLICT}`, '\na: 1\n\n\n\n\na: 1\n\n\n\n', 1, 2],
    ['the first side if the end marker is missing', 'x: 0\n<<<<<<< HEAD\na: 1', 'x: 0\n\na: 1', 2, 1],
    ['the first side if there is no second side', '<<<<<<< a\n1\n>>>>>>> b', '\n1\n', 1, 1],
    [
      'the first side of a conflict with a second start marker',
      '<<<<<<< a\n<<<<<<< b\n1\n=======\n2\n>>>>>>> b',
      '\n\n1\n\n\n',
      1,
      1,
    ],
  ])('keeps %s', (_, text, expected, line, count) => {
    expect(resolveConflicts(text)).toEqual({ text: expected, line, count });
  });

  it.each(['', 'a: 1', '=======\n>>>>>>> x', '<<<<<<<< HEAD', ' <<<<<<< HEAD', '<<<<<<<HEAD', 'a <<<<<<< b'])(
    'finds no conflict in %j',
    (text) => {
      expect(resolveConflicts(text)).toBeUndefined();
    },
  );

  it('keeps the number of lines, and leaves no start marker', () => {
    const line = fc.constantFrom('<<<<<<< a', '|||||||', '=======', '>>>>>>> b', 'a: 1', '', '---');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const text = lines.join('\n');
        const resolved = resolveConflicts(text)?.text ?? text;
        expect(resolved.split('\n')).toHaveLength(text.split('\n').length);
        expect(resolveConflicts(resolved)).toBeUndefined();
      }),
    );
  });

  it.each(['<<<<<<<\n', '=======\n', CONFLICT, '<<<<<<< a\n=======\n'])('reads a megabyte of %j', (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    expect(resolveConflicts(`<<<<<<<\n${text}`)?.line).toBe(1);
    expect(conflictLine(text)).toBe(unit === CONFLICT ? 1 : undefined);
  });
});

describe('conflictLine', () => {
  it.each<[string, string, number | undefined]>([
    ['reports the first line of a conflict', `Text.\n\n${CONFLICT}`, 3],
    ['ignores a conflict in a code block', `\`\`\`\n${CONFLICT}\`\`\`\n`, undefined],
    ['reports a conflict after a code block', `~~~\nx\n~~~\n${CONFLICT}`, 4],
    ['ignores an underlined heading', 'Title\n=======\nText.', undefined],
    ['ignores a start marker alone', '<<<<<<< HEAD\nText.', undefined],
  ])('%s', (_, markdown, expected) => {
    expect(conflictLine(markdown)).toBe(expected);
  });
});

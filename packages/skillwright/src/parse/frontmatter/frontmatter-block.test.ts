import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { locateFrontmatter } from './frontmatter-block.ts';

/** The text of the block and of the body, if there are any. */
function split(text: string, complete = true): unknown {
  const bytes = Buffer.from(text);
  const block = locateFrontmatter(bytes, bytes.length, complete);
  if (block.kind === 'none') return { kind: 'none', body: bytes.subarray(block.bodyStart).toString() };
  if (block.kind !== 'found') return block;
  return {
    kind: 'found',
    yaml: bytes.subarray(block.start, block.end).toString(),
    body: bytes.subarray(block.bodyStart).toString(),
  };
}

describe('locateFrontmatter', () => {
  it.each<[string, string, unknown]>([
    ['a block and a body', '---\na: 1\n---\nbody\n', { kind: 'found', yaml: 'a: 1\n', body: 'body\n' }],
    ['no body', '---\na: 1\n---', { kind: 'found', yaml: 'a: 1\n', body: '' }],
    ['an empty block', '---\n---\nbody', { kind: 'found', yaml: '', body: 'body' }],
    ['trailing space on the delimiters', '---  \na: 1\n--- \t\nbody', { kind: 'found', yaml: 'a: 1\n', body: 'body' }],
    ['CRLF', '---\r\na: 1\r\n---\r\nbody', { kind: 'found', yaml: 'a: 1\r\n', body: 'body' }],
    ['a byte order mark', '\uFEFF---\na: 1\n---\nbody', { kind: 'found', yaml: 'a: 1\n', body: 'body' }],
    ['blank lines before it', '\n \n---\na: 1\n---\nbody', { kind: 'found', yaml: 'a: 1\n', body: 'body' }],
    [
      'dashes inside a value',
      '---\na: b --- c\nd: |\n  ---\n---\nbody',
      { kind: 'found', yaml: 'a: b --- c\nd: |\n  ---\n', body: 'body' },
    ],
    [
      'a line of four dashes inside',
      '---\na: 1\n----\n---\nbody',
      { kind: 'found', yaml: 'a: 1\n----\n', body: 'body' },
    ],
    ['no block', '# Title\n---\na: 1\n---\n', { kind: 'none', body: '# Title\n---\na: 1\n---\n' }],
    ['a first line of four dashes', '----\na: 1\n---\n', { kind: 'none', body: '----\na: 1\n---\n' }],
    ['no block after a byte order mark', '\uFEFFtext', { kind: 'none', body: 'text' }],
    ['an empty text', '', { kind: 'none', body: '' }],
    ['a text of two dashes', '--', { kind: 'none', body: '--' }],
  ])('separates frontmatter from the body with %s', (_, text, expected) => {
    proves('S2.FR-2.1.delimiters', 'S2.FR-2.2.preserve');
    expect(split(text)).toEqual(expected);
  });

  it('reports the line where the YAML begins, counting blank lines', () => {
    const bytes = Buffer.from('\n\n---\na: 1\n---\n');
    expect(locateFrontmatter(bytes)).toMatchObject({ firstLine: 4, leadingBlank: true });
    expect(locateFrontmatter(Buffer.from('---\na: 1\n---\n'))).toMatchObject({ firstLine: 2, leadingBlank: false });
  });

  it('distinguishes a block that is never closed from a missing block', () => {
    expect(split('---\na: 1\nbody')).toMatchObject({ kind: 'open', firstLine: 2 });
    expect(split('---')).toMatchObject({ kind: 'open' });
  });

  it.each(['---js', '--- js', '---json', '---toml'])('reports the engine of %s and where the block ends', (opening) => {
    expect(split(`${opening}\nprocess.exit(1)\n---\nbody`)).toMatchObject({ kind: 'engine', line: 1 });
    expect(split(`${opening}\nprocess.exit(1)\n`)).toMatchObject({ kind: 'engine', bodyStart: -1 });
  });

  it('does not accept a closing delimiter that may continue beyond the part that was read', () => {
    expect(split('---\na: 1\n---', false)).toMatchObject({ kind: 'open' });
    expect(split('---', false)).toMatchObject({ kind: 'none' });
    expect(split('---\na: 1\n---\n', false)).toMatchObject({ kind: 'found' });
  });

  it('never reads beyond the given length', () => {
    const bytes = Buffer.from('---\na: 1\n---\nbody');
    expect(locateFrontmatter(bytes, 8)).toMatchObject({ kind: 'open' });
    expect(locateFrontmatter(bytes, 2)).toEqual({ kind: 'none', bodyStart: 0 });
  });

  it('reports whether the block is printable ASCII', () => {
    expect(locateFrontmatter(Buffer.from('---\na: b ~\n---\n'))).toMatchObject({ isPrintable: true });
    for (const odd of ['é', '\t', '\r', '\u007f', '\0']) {
      expect(locateFrontmatter(Buffer.from(`---\na: ${odd}\n---\n`)), JSON.stringify(odd)).toMatchObject({
        isPrintable: false,
      });
    }
  });

  it('leaves only the delimiter between the block and the body, whatever the bytes are', () => {
    const chunk = fc.constantFrom('---', '\n', '\r\n', 'a: 1', ' ', '\uFEFF', 'js', 'é', '- ');
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
        const bytes = Buffer.from(chunks.join(''));
        const block = locateFrontmatter(bytes);
        if (block.kind !== 'found') return;
        expect(block.start).toBeLessThanOrEqual(block.end);
        expect(block.end).toBeLessThan(block.bodyStart);
        expect(bytes.subarray(block.end, block.bodyStart).toString().trimEnd()).toBe('---');
      }),
    );
  });
});

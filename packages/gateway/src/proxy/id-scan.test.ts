import { describe, expect, it } from 'vitest';
import { createIdScan } from './id-scan.ts';

function scanned(path: readonly string[], text: string, size = text.length): string | undefined {
  const scan = createIdScan(path);
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) {
    const found = scan(bytes.subarray(start, start + size));
    if (found !== undefined) return found;
  }
  return undefined;
}

describe.each([1, 3, 1_000])('in pieces of %s bytes', (size) => {
  it.each([
    ['{"id":"a"}', 'a'],
    ['{"metadata":{"id":"b"},"list":["id",{"id":"c"}],"text":"\\"id\\":\\"d\\"","id" : "a"}', 'a'],
    ['{"id":5,"other":"id","x":"a"}', undefined],
    ['{"other":"id","x":{"id":"a"}}', undefined],
    ['["id",{"id":"a"}]', undefined],
    ['"id":"a"', undefined],
    [`{"long":"${'x'.repeat(1_000)}","id":"a"}`, 'a'],
    [`{"id":"${'x'.repeat(1_000)}"}`, undefined],
  ])('the id of %s', (text, id) => {
    expect(scanned(['id'], text, size)).toBe(id);
  });

  it('the id of the answer in the frames of a stream', () => {
    const frames = [
      'event: ping\ndata: {"id":"x","item":{"id":"y"}}\n\n',
      'event: response.created\ndata: {"metadata":{"response":{"id":"z"}},"response":{"metadata":{"id":"w"},"id":"a"}}\n\n',
    ];
    expect(scanned(['response', 'id'], frames.join(''), size)).toBe('a');
  });
});

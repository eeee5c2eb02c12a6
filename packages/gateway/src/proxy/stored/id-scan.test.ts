import { describe, expect, it } from 'vitest';
import { createIdScan, EACH } from './id-scan.ts';

function scanned(path: readonly string[], text: string, size = text.length): readonly string[] {
  const found: string[] = [];
  const scan = createIdScan([['never', 'there'], path], (id) => found.push(id));
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) scan(bytes.subarray(start, start + size));
  return found;
}

describe.each([1, 2, 3, 7, 1_000])('a scan for ids in chunks of %s bytes', (size) => {
  it.each([
    ['{"id":"a"}', ['a']],
    ['{"metadata":{"id":"b"},"list":["id",{"id":"c"}],"text":"\\"id\\":\\"d\\"","id" : "a"}', ['a']],
    ['{"id":5,"other":"id","x":"a"}', []],
    ['{"other":"id","x":{"id":"a"}}', []],
    ['["id",{"id":"a"}]', []],
    ['"id":"a"', []],
    [`{"long":"${'x'.repeat(2_000)}","id":"a"}`, ['a']],
    [`{"id":"${'x'.repeat(2_000)}"}`, []],
    [String.raw`{"a":"\\","b":"\\\"","c":"\\\\","id":"a"}`, ['a']],
    [String.raw`{"a":"\",\"id\":\"b","id":"a"}`, ['a']],
    [String.raw`{"a\\":{"id":"b"},"id":"a"}`, ['a']],
  ])('finds only the top-level id in %s', (text, ids) => {
    expect(scanned(['id'], text, size)).toEqual(ids);
  });

  it('finds the ids of the items of a list, and no others', () => {
    const text =
      '{"output":[{"id":"a","content":[{"id":"x"}]},{"type":"call","arguments":"{\\"id\\":\\"y\\"}","id":"b"}],"id":"z","more":[{"id":"w"}]}';
    expect(scanned(['output', EACH, 'id'], text, size)).toEqual(['a', 'b']);
    expect(scanned(['output', 'id'], text, size)).toEqual([]);
  });

  it('finds the id of the response in the frames of a stream', () => {
    const frames = [
      'event: ping\ndata: {"id":"x","item":{"id":"y"}}\n\n',
      'event: response.created\ndata: {"metadata":{"response":{"id":"z"}},"response":{"metadata":{"id":"w"},"id":"a"}}\n\n',
    ];
    expect(scanned(['response', 'id'], frames.join(''), size)).toEqual(['a']);
  });
});

import { describe, expect, it } from 'vitest';
import { objectsIn } from './objects.ts';
import { splitPassages } from './passages.ts';
import { readListing } from '../skills.ts';
import { readTask, readTasks } from './task.ts';

describe('readTask', () => {
  it.each([
    ['Count "a b" and “c d”', ['a b', 'c d']],
    ["Say 'it's me' to 'Bob'", ["it's me", 'Bob']],
    ["Don't count the dog's bones", []],
    ['Summarise this:\none\ntwo\n', ['one\ntwo\n']],
    ['Translate: good morning', ['good morning']],
    ['At 10:30 do nothing', []],
    ['Format\n```js\nlet a = "b";\n```', ['let a = "b";\n']],
    ['An "unclosed quote', []],
  ])('extracts the texts of %j', (text, texts) => {
    expect(readTask(text).texts).toEqual(texts);
  });

  it('distinguishes files, dates and numbers from texts, quoted or not', () => {
    const text =
      'Compare "a.txt" (and ./src/b.md, docs/) from 2026-01-02, 3rd of May 2027 and Dec. 9, 2028: 12 weeks ago';
    expect(readTask(text)).toMatchObject({
      texts: [],
      files: ['a.txt', './src/b.md', 'docs/'],
      dates: ['2026-01-02', '2027-05-03', '2028-12-09'],
    });
    expect(readTask('Add 2 business days, or 3.5 weeks before, not v1 or 1,000').numbers).toEqual([
      { value: 2, unit: ['business', 'days'], isBack: false },
      { value: 3.5, unit: ['weeks', 'before'], isBack: true },
    ]);
  });

  it('ignores a date that can be read in two ways', () => {
    expect(readTask('From 03/04/2026').dates).toEqual([]);
  });

  it('separates the request from the text it is about', () => {
    expect(readTask('Count the words of "review my code" please').words).toBe('Count the words of   please');
    expect(splitPassages('a "b" c', () => false).outside).toBe('a   c');
  });
});

describe('readTasks', () => {
  const first = (text: string): unknown => {
    const [{ words, texts } = { words: '', texts: [] }] = readTasks(text);
    return [words, texts];
  };

  it('first returns the reading with a request in its own paragraph and everything after it as text', () => {
    const note = 'note: buy "milk"\n\nand: bread';
    expect(first(`How long is this?\n\n${note}`)).toEqual(['How long is this?', [note]]);
    expect(first(`Count this:\r\n\r\n${note}`)).toEqual(['Count this', [note]]);
    expect(first('How long is this?\nnote: buy milk')).toEqual(['How long is this?', ['note: buy milk']]);
  });

  it.each([
    ['has its text in the request', 'Count "a b".\n\nThanks: you are kind'],
    ['quotes everything after the request', 'Compare these two.\n\n"a b"\n"c d"'],
    ['has a block of code after the request', 'Format this.\n\n```js\nf({ a: 1 })\n```\nThanks'],
    ['is one paragraph', 'Count the words: a b'],
  ])('returns only the usual reading when a message %s', (_what, text) => {
    expect(readTasks(text)).toEqual([readTask(text)]);
  });

  it('keeps files and dates that come after the request', () => {
    const [reading] = readTasks('What weekday is it?\n\nIt is 2026-12-24, see a.txt.');
    expect(reading).toMatchObject({ dates: ['2026-12-24'], files: ['a.txt'] });
  });

  it('returns the reading that starts after a label last', () => {
    expect(readTasks('note: what day is it').map(({ words }) => words)).toEqual(['note', 'what day is it']);
  });
});

describe('objectsIn', () => {
  it('finds objects in JSON and JavaScript, also in strings of other objects', () => {
    const text = `No {braces}, f({ "a": 1 }), g({ b: 'it\\'s', c: [true,], }) and {"error":"try h({\\"d\\":2})"}`;
    expect(objectsIn(text)).toEqual([
      { value: { a: 1 }, calledBy: 'f' },
      { value: { b: "it's", c: [true] }, calledBy: 'g' },
      { value: { error: 'try h({"d":2})' }, calledBy: '' },
      { value: { d: 2 }, calledBy: 'h' },
    ]);
  });
});

describe('readListing', () => {
  it('reads headings or a list, until another section', () => {
    const text =
      '## Available Skills\n\n### one\nFirst.\n\n- two: Second.\n* **three** – Third.\n- `four`: Fourth.\n## Rules\n- five: No.';
    expect(readListing(text)).toEqual([
      { name: 'one', description: 'First.' },
      { name: 'two', description: 'Second.' },
      { name: 'three', description: 'Third.' },
      { name: 'four', description: 'Fourth.' },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { jsonLength, parseArguments, parseJson } from './json-text.ts';

describe('the arguments of a call', () => {
  it.each(['{}', ' {"a":1}\n', '{"__proto__":1}'])('%j are an object', (text) => {
    expect(parseArguments(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
  });

  it.each(['', ' \n'])('%j are none', (text) => {
    expect(parseArguments(text)).toEqual({ ok: true, value: {} });
  });

  it.each(['{', '{"a":', '{"a":1}{"b":2}', "{'a':1}", 'undefined', '{"a":1,}', '```json\n{}\n```'])(
    '%j are told to be no JSON',
    (text) => {
      expect(parseArguments(text)).toEqual({
        ok: false,
        message: expect.stringMatching(
          /^The arguments are not valid JSON \(.+\)\. Call again with a JSON object\.$/s,
        ) as string,
      });
    },
  );

  it.each([
    ['null', 'null'],
    ['[1]', 'an array'],
    ['7', 'a number'],
    ['"{}"', 'a string'],
    ['true', 'a boolean'],
  ])('%s are told to be %s', (text, kind) => {
    expect(parseArguments(text)).toMatchObject({
      ok: false,
      message: expect.stringContaining(`not ${kind}.`) as string,
    });
  });
});

describe('JSON', () => {
  it('is read without throwing', () => {
    expect(parseJson('1')).toEqual({ ok: true, value: 1 });
    expect(parseJson('x').ok).toBe(false);
    expect(parseJson('['.repeat(100_000)).ok).toBe(false);
  });

  it('has a length, or is none', () => {
    expect(jsonLength({ a: 'ü' })).toBe(9);
    const loop: Record<string, unknown> = {};
    loop.loop = loop;
    expect([jsonLength(loop), jsonLength(1n), jsonLength(undefined)]).toEqual([Infinity, Infinity, Infinity]);
  });
});

import { describe, expect, it } from 'vitest';
import { createRedactor } from './redaction.ts';

const { redactValue } = createRedactor({ KEY: 'hunter2-hunter2', PIN: '12345678' });

describe('redaction of a value', () => {
  it('replaces secrets in texts, keys and numbers, however deep', () => {
    const value = { 'hunter2-hunter2': [{ a: ['x hunter2-hunter2', 123456789, 12345678n, 5, true, null] }] };
    expect(redactValue(value)).toEqual({
      '[redacted:KEY]': [{ a: ['x [redacted:KEY]', '[redacted:PIN]9', '[redacted:PIN]', 5, true, null] }],
    });
  });

  it('gives the value itself where there are no secrets', () => {
    const value = { a: 1 };
    expect(createRedactor({}).redactValue(value)).toBe(value);
  });

  it('does not change what it is given', () => {
    const value = Object.freeze({ a: Object.freeze(['hunter2-hunter2']) });
    redactValue(value);
    expect(value).toEqual({ a: ['hunter2-hunter2'] });
  });

  it('keeps keys apart that become alike', () => {
    const value = { 'hunter2-hunter2': 1, aHVudGVyMi1odW50ZXIy: 2 };
    expect(redactValue(value)).toEqual({ '[redacted:KEY]': 1, '[redacted:KEY] (2)': 2 });
  });

  it('keeps cycles and shared parts', () => {
    const shared = { text: 'hunter2-hunter2' };
    const value: Record<string, unknown> = { shared, again: shared };
    value['self'] = value;
    const copy = redactValue(value) as Record<string, unknown>;
    expect(copy['self']).toBe(copy);
    expect(copy['again']).toBe(copy['shared']);
    expect(copy['shared']).toEqual({ text: '[redacted:KEY]' });
  });

  it('takes a value nested a hundred thousand times', () => {
    let value: unknown = 'hunter2-hunter2';
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    let copy = redactValue(value);
    while (Array.isArray(copy)) copy = copy[0] as unknown;
    expect(copy).toBe('[redacted:KEY]');
  });

  it('looks into errors, maps, sets, bytes and what says how it is written', () => {
    const error = Object.assign(new Error('hunter2-hunter2', { cause: 'hunter2-hunter2' }), { code: 'E' });
    expect(redactValue(error)).toMatchObject({
      name: 'Error',
      message: '[redacted:KEY]',
      cause: '[redacted:KEY]',
      code: 'E',
    });
    expect(JSON.stringify(redactValue(error))).not.toContain('hunter2');
    expect(redactValue(new Map([['hunter2-hunter2', 1]]))).toEqual([['[redacted:KEY]', 1]]);
    expect(redactValue(new Set(['hunter2-hunter2']))).toEqual(['[redacted:KEY]']);
    expect(Buffer.from(redactValue(Buffer.from('<hunter2-hunter2>')) as Uint8Array).toString()).toBe(
      '<[redacted:KEY]>',
    );
    expect(redactValue(new URL('https://host/?k=hunter2-hunter2'))).toBe('https://host/?k=[redacted:KEY]');
    const date = new Date(0);
    expect(redactValue(date)).toBe(date);
  });

  it('never throws because of hostile objects', () => {
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('trap');
        },
      },
    );
    const value = {
      trap,
      get bad(): string {
        throw new Error('getter');
      },
      json: {
        toJSON() {
          throw new Error('toJSON');
        },
      },
    };
    expect(redactValue(value)).toEqual({ trap: '[unreadable]', bad: '[unreadable]', json: '[unreadable]' });
  });

  it('treats __proto__ as a key', () => {
    const copy = redactValue(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.keys(copy as object)).toEqual(['__proto__']);
    expect((copy as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

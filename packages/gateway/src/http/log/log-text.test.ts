import { describe, expect, it } from 'vitest';
import { createLogText, escapeControls, wantsColors } from './log-text.ts';

const TIME = '2026-11-18T21:19:15.204Z';
const CLOCK = new Date(TIME).toTimeString().slice(0, 8);
const toText = createLogText(false);
const textOf = (line: object): string => toText(`${JSON.stringify({ level: 'info', time: TIME, ...line })}\n`);

describe('a log line as text', () => {
  it('has the time, the level, the message and the request', () => {
    const request = { requestId: 'r1', method: 'POST', path: '/v1/messages', status: 200, ms: 93, apiKeyId: 'k1' };
    expect(textOf({ ...request, msg: 'request' })).toBe(`${CLOCK} info  request POST /v1/messages 200 93 ms\n`);
  });

  it('has the id of a failed request, and says if the response was cut off', () => {
    const request = { requestId: 'r1', method: 'GET', path: '/a', status: 499, cut: true, ms: 1, apiKeyId: null };
    expect(textOf({ ...request, msg: 'request' })).toBe(
      `${CLOCK} info  request GET /a 499 1 ms cut=true requestId=r1\n`,
    );
  });

  it('has all other fields, of any type', () => {
    const fields = { skills: 3, names: ['a', 'b'], none: null, apiKeyId: 'k1' };
    expect(textOf({ ...fields, level: 'warn', msg: 'Found.' })).toBe(
      `${CLOCK} warn  Found. skills=3 names=["a","b"] none=null apiKeyId=k1\n`,
    );
  });

  it('has the stack of an error on lines of its own', () => {
    const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at a.ts:1' };
    expect(textOf({ level: 'error', err, msg: 'failed' })).toBe(
      `${CLOCK} error failed\n    Error: no\n        at a.ts:1\n`,
    );
  });

  it('escapes control characters and line breaks in values, names and stacks', () => {
    const hostile = '\u001B[2J\u009B31m\u0007\u202Ea\nb\u{E0041}';
    const text = textOf({ msg: hostile, [hostile]: hostile, err: { stack: hostile }, path: hostile, level: hostile });
    // oxlint-disable-next-line no-control-regex -- control characters are what it is for
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E\u{E0041}]/u);
    expect(text).toContain('\\u001b[2J\\u009b31m\\u0007\\u202ea\\nb\\udb40\\udc41');
    expect(text.split('\n')).toHaveLength(4);
  });

  it('is passed on without control characters if it is not JSON', () => {
    expect(toText('{"a": \u001Bc\n')).toBe('{"a": \\u001bc\n');
  });

  it('has colors on request', () => {
    const line = `${JSON.stringify({ level: 'warn', time: TIME, status: 503, msg: 'request' })}\n`;
    expect(createLogText(true)(line)).toBe(
      `\u001B[2m${CLOCK}\u001B[22m \u001B[33mwarn \u001B[39m request \u001B[31m503\u001B[39m\n`,
    );
  });
});

it('escapes control characters in JSON without changing its meaning', () => {
  const value = { a: '\u009B2J\u007F\u202E', b: '👩‍🚀 é' };
  const text = escapeControls(JSON.stringify(value));
  expect(text).toBe(String.raw`{"a":"\u009b2J\u007f\u202e","b":"👩‍🚀 é"}`);
  expect(JSON.parse(text)).toEqual(value);
});

it.each([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: 'dumb' }, true, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
])('with %j, in a terminal: %s, uses colors: %s', (env, isTerminal, expected) => {
  expect(wantsColors(env, isTerminal)).toBe(expected);
});

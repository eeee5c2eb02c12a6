import { describe, expect, it } from 'vitest';
import { readSources, readText } from './source-files.ts';

const TESTS = ['packages/*/src/**/*.test.ts', 'test/**/*.ts'];
/** Expressions that read a clock, or hold a measured time. */
const CLOCK =
  /\b(?:performance\.now\(|Date\.now\(|new Date\(\)|process\.(?:hrtime|uptime|cpuUsage|threadCpuUsage|resourceUsage)\b|durationMs\b|elapsed)/;
const IS_COUNT = /\.(?:length|size)\s*$/;
const ASSIGNED = /(?<![.\w])([a-zA-Z_$][\w$]*)(?::[^=;]*)?\s*=(?![=>])([^;]*)/g;
const UPPER_BOUND = /^\s*(?:\.resolves)?\s*\.toBeLessThan(?:OrEqual)?\(\s*[\d._*e\s]+\)/;

/**
 * Finds lines that expect a value from a clock to be less than a number, which fails on a busy machine. It follows names
 * within one file, so it misses values that another file measures.
 */
function comparedClocks(text: string): number[] {
  const names = clockNames(text);
  const lines: number[] = [];
  for (const { index } of text.matchAll(/\bexpect\(/g)) {
    const start = index + 'expect('.length;
    const end = closingOf(text, start);
    const measured = text.slice(start, end);
    const isClock = !IS_COUNT.test(measured) && (CLOCK.test(measured) || names.some((name) => hasWord(measured, name)));
    if (isClock && UPPER_BOUND.test(text.slice(end + 1))) lines.push(text.slice(0, index).split('\n').length);
  }
  return lines;
}

/** Finds waits of one second, the default without an option. `vitest.config.ts` sets the default of `expect.poll`. */
function hurriedWaits(text: string): number[] {
  return [...text.matchAll(/\bvi\.wait(?:For|Until)\(/g)].flatMap(({ 0: call, index }) => {
    const start = index + call.length;
    const isTold = /,\s*(?:\d[\d_]*|\{[^{}]*\btimeout\b[^{}]*\}),?\s*$/.test(text.slice(start, closingOf(text, start)));
    return isTold ? [] : [text.slice(0, index).split('\n').length];
  });
}

/** Names that are assigned a clock reading, or another such name. */
function clockNames(text: string): readonly string[] {
  const assigned = [...text.matchAll(ASSIGNED)].map(([, name = '', value = '']) => ({ name, value }));
  const names = new Set<string>();
  for (let known = -1; known < names.size;) {
    known = names.size;
    for (const { name, value } of assigned)
      if (CLOCK.test(value) || [...names].some((other) => hasWord(value, other))) names.add(name);
  }
  return [...names];
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(String.raw`(?<![.\w$])${word.replaceAll('$', String.raw`\$`)}(?![\w$])`).test(text);
}

/** The position that closes the parenthesis opened before `start`. */
function closingOf(text: string, start: number): number {
  let position = start;
  for (let depth = 1; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0) break;
  }
  return position;
}

describe('tests', () => {
  it('do not compare a clock with a constant', () => {
    const found = readSources(...TESTS).flatMap(({ path, text }) =>
      comparedClocks(text).map(
        (line) => `${path}:${line}: count steps, compare two measurements, or rely on the time-out`,
      ),
    );
    // The samples below contain such comparisons.
    expect(found.filter((place) => !place.startsWith('test/package/structure/clocks.test.ts:'))).toEqual([]);
  });

  it('wait as long as a busy machine needs', () => {
    const found = readSources(...TESTS).flatMap(({ path, text }) =>
      hurriedWaits(text).map((line) => `${path}:${line}: give a time, such as 20_000, as the second argument`),
    );
    expect(found.filter((place) => !place.startsWith('test/package/structure/clocks.test.ts:'))).toEqual([]);
    expect(readText('vitest.config.ts').match(/expect: expectations,/g)).toHaveLength(2);
  });

  it.each([
    ['vi.waitFor(() => expect(calls(1)).toBe(1));', 1],
    ['await vi.waitUntil(\n  () => isDone(),\n);', 1],
    ['vi.waitFor(() => expect(calls).toBe(1), 20_000);', 0],
    ['vi.waitFor(\n  () => expect(calls).toBe(1),\n  { timeout: 20_000 },\n);', 0],
  ])('are checked for waits of one second: %j has %i', (text, count) => {
    expect(hurriedWaits(text)).toHaveLength(count);
  });

  it.each([
    ['a difference', 'expect(performance.now() - started).toBeLessThan(2_000);'],
    ['a name', 'const took = Date.now() - began;\nexpect(took).toBeLessThanOrEqual(500);'],
    [
      'a name for another name',
      'const at = performance.now();\nconst ms = end - at;\nexpect(Math.round(ms)).toBeLessThan(60 * 1000);',
    ],
    [
      'a name that is assigned later',
      'let longest = 0;\nlongest = Math.max(longest, Date.now() - last);\nexpect(longest).toBeLessThan(9);',
    ],
    [
      'a function',
      'const silence = async () => performance.now() - last;\nexpect(await silence()).toBeLessThan(1_000);',
    ],
    ['a duration', "expect(Number(answer['durationMs'])).toBeLessThan(8_000);"],
    ['CPU time', 'expect(process.cpuUsage(before).user)\n  .toBeLessThan(1e6);'],
  ])('are checked for a comparison of %s', (_what, text) => {
    expect(comparedClocks(text)).toHaveLength(1);
  });

  it.each([
    ['a count', 'const now = Date.now();\nexpect(calls).toBeLessThan(3);'],
    ['a length', 'const mark = `m${Date.now()}`;\nexpect(processesWith(mark).length).toBeLessThan(50);'],
    ['two times', 'const before = Date.now();\nexpect(before).toBeLessThanOrEqual(Date.now());'],
    ['a lower bound', 'const before = Date.now();\nexpect(Date.now() - before).toBeGreaterThanOrEqual(10);'],
    ['a property of that name', 'const now = Date.now();\nexpect(options.now).toBeLessThan(3);'],
  ])('may contain a comparison of %s', (_what, text) => {
    expect(comparedClocks(text)).toEqual([]);
  });
});

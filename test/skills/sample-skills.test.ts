import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../proves.ts';

type Json = Record<string, unknown>;
type Handler = (args: unknown) => Promise<Json>;
interface Tool {
  name: string;
  description: string;
  script: string;
  parameters: Record<string, { type: string; description: string; optional?: boolean }>;
}
interface TriggerCase {
  query: string;
  should_trigger: boolean;
}

const skillsDir = fileURLToPath(new URL('../../skills', import.meta.url));
const fixturesDir = fileURLToPath(new URL('../fixtures', import.meta.url));
const windows = process.platform === 'win32';
const names = [
  'calendar-calculator',
  'code-review',
  'csv-stats',
  'database-query',
  'file-scaffolding',
  'file-search',
  'text-diff',
  'tool-call-error-recovery',
  'word-count',
] as const;

/** The interpreter itself, not a launcher that may come before it on the PATH. */
function findPython(): string | undefined {
  for (const candidate of ['python3', 'python']) {
    const { status, stdout } = spawnSync(candidate, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
    if (status === 0 && stdout.trim() !== '') return stdout.trim();
  }
  return undefined;
}

const python = findPython();
if (python === undefined)
  console.warn('SKIPPED: the Python sample tools are not tested, no python3 or python on PATH.');

async function loadHandler(path: string): Promise<Handler> {
  const module = (await import(pathToFileURL(join(skillsDir, path)).href)) as { default: Handler };
  return module.default;
}

function run(command: string, args: string[], options: { cwd?: string; input?: string } = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 20_000, ...options });
  return { status, stdout, stderr };
}

function runNode(script: string, args: string[], options: { cwd?: string; input?: string } = {}) {
  return run(process.execPath, [join(skillsDir, script), ...args], options);
}

function readTools(skill: string): Tool[] {
  return JSON.parse(readFileSync(join(skillsDir, skill, 'tools.json'), 'utf8')) as Tool[];
}

function readSkill(skill: string) {
  const text = readFileSync(join(skillsDir, skill, 'SKILL.md'), 'utf8');
  const match = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text);
  if (match === null) throw new Error(`${skill}/SKILL.md has no frontmatter`);
  const [, head = '', body = ''] = match;
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1];
  return { head, body, field };
}

let workDir = '';
beforeAll(() => {
  workDir = mkdtempSync(join(tmpdir(), 'sample-skills-'));
});
afterAll(() => {
  rmSync(workDir, { recursive: true, force: true });
});

describe('every sample skill', () => {
  it('is in the list of names in this file', () => {
    const found = readdirSync(skillsDir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(found.toSorted()).toEqual([...names]);
  });

  describe.each(names)('%s', (skill) => {
    it('has valid frontmatter and instructions', () => {
      const { body, field } = readSkill(skill);
      expect(field('name')).toBe(skill);
      expect(skill).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(field('description')).toMatch(/\bUse when\b/);
      expect(field('description')?.length).toBeLessThanOrEqual(1024);
      expect(field('license')).toBe('MIT');
      expect(field('version')).toMatch(/^\d+\.\d+\.\d+$/);
      expect(body.trim()).not.toBe('');
      expect(body.split('\n').length).toBeLessThan(500);
    });

    it('follows the checklist for reviews: it has tags and a version', () => {
      proves('S3.risk.review');
      const review = readFileSync(join(skillsDir, '../CONTRIBUTING.md'), 'utf8');
      expect(review).toContain('## A skill in `skills/`');
      const text = readFileSync(join(skillsDir, skill, 'SKILL.md'), 'utf8');
      expect(text).toMatch(/^tags:/m);
      expect(text).toMatch(/^version:/m);
    });

    it('has positive and negative trigger queries, without duplicates', () => {
      const cases = JSON.parse(readFileSync(join(skillsDir, skill, 'evals', 'triggers.json'), 'utf8')) as TriggerCase[];
      expect(cases.filter((entry) => entry.should_trigger).length).toBeGreaterThanOrEqual(8);
      expect(cases.filter((entry) => !entry.should_trigger).length).toBeGreaterThanOrEqual(5);
      expect(new Set(cases.map((entry) => entry.query)).size).toBe(cases.length);
      for (const entry of cases) expect(Object.keys(entry)).toEqual(['query', 'should_trigger']);
    });

    it('names only files that exist', () => {
      const { body } = readSkill(skill);
      const files =
        skill === 'tool-call-error-recovery' ? [] : (body.match(/\b(?:scripts|references)\/[\w.-]*\w/g) ?? []);
      for (const file of files) expect(statSync(join(skillsDir, skill, file)).isFile(), file).toBe(true);
    });
  });

  it.each(['calendar-calculator', 'csv-stats', 'text-diff', 'word-count'])('%s declares valid tools', (skill) => {
    const tools = readTools(skill);
    expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(tool.description).not.toBe('');
      expect(statSync(join(skillsDir, skill, tool.script)).isFile()).toBe(true);
      for (const parameter of Object.values(tool.parameters)) {
        expect(['string', 'number', 'boolean', 'array', 'object']).toContain(parameter.type);
        expect(parameter.description).not.toBe('');
      }
    }
  });

  it.skipIf(windows)('has executable scripts with a shebang', () => {
    for (const script of [
      'calendar-calculator/scripts/calendar.mjs',
      'calendar-calculator/scripts/today.sh',
      'csv-stats/scripts/csv_stats.py',
      'database-query/scripts/query.mjs',
      'file-scaffolding/scripts/create.mjs',
      'file-search/scripts/search.mjs',
      'text-diff/scripts/diff.mjs',
      'word-count/scripts/count.mjs',
      'word-count/scripts/word_frequency.py',
    ]) {
      expect(statSync(join(skillsDir, script)).mode & 0o111, script).not.toBe(0);
      expect(readFileSync(join(skillsDir, script), 'utf8'), script).toMatch(
        /^#!\/(usr\/bin\/env (node|python3)|bin\/sh)\n/,
      );
    }
  });
});

describe('word-count: count_words', () => {
  it('counts as its instructions show', async () => {
    const count = await loadHandler('word-count/scripts/count_words.js');
    expect(await count({ text: "Hello, world. It's me!", __workDir: workDir })).toEqual({
      words: 4,
      characters: 22,
      characters_without_whitespace: 19,
      bytes: 22,
      lines: 1,
      sentences: 2,
      words_per_minute: 238,
      reading_time_seconds: 2,
    });
  });

  it('counts nothing in an empty text', async () => {
    const count = await loadHandler('word-count/scripts/count_words.js');
    expect(await count({ text: '' })).toMatchObject({ words: 0, characters: 0, lines: 0, sentences: 0 });
    expect(await count({ text: ' \n\n' })).toMatchObject({ words: 0, lines: 2, sentences: 0, reading_time_seconds: 0 });
  });

  it('counts characters as people perceive them', async () => {
    const count = await loadHandler('word-count/scripts/count_words.js');
    expect(await count({ text: '👨‍👩‍👧e\u0301' })).toMatchObject({ characters: 2, bytes: 21 });
    expect(await count({ text: '日本語を勉強しています。', locale: 'ja' })).toMatchObject({
      characters: 12,
      sentences: 1,
    });
    expect((await count({ text: '日本語を勉強しています。', locale: 'ja' })).words).toBeGreaterThan(2);
    expect(await count({ text: '\ud800 x' })).toMatchObject({ words: 1, characters: 3 });
  });

  it('joins wrapped lines and counts every kind of line end', async () => {
    const count = await loadHandler('word-count/scripts/count_words.js');
    expect(await count({ text: 'One sentence\nover lines. Two\r\nhere.\n\nHeading' })).toMatchObject({
      lines: 5,
      sentences: 3,
    });
    expect(await count({ text: 'a\rb\r\nc\n' })).toMatchObject({ lines: 3 });
  });

  it.each([
    [{}, /"text" must be a string/],
    [null, /Expected an object/],
    [{ text: 'a', locale: '!!' }, /"locale" must be a language tag/],
    [{ text: 'a', words_per_minute: 0 }, /"words_per_minute"/],
    [{ text: 'a', words_per_minute: Number.NaN }, /"words_per_minute"/],
    [{ text: 'x'.repeat(5_000_001) }, /at most 5000000/],
  ])('rejects bad input %#', async (args, message) => {
    const count = await loadHandler('word-count/scripts/count_words.js');
    await expect(count(args)).rejects.toThrow(message);
  });
});

describe('word-count: scripts/count.mjs', () => {
  it('prints a row per file and a total', () => {
    writeFileSync(join(workDir, 'one.txt'), 'one two\nthree\n');
    writeFileSync(join(workDir, 'two.txt'), '\uFEFFvier');
    const { status, stdout } = runNode('word-count/scripts/count.mjs', ['one.txt', 'two.txt'], { cwd: workDir });
    expect(status).toBe(0);
    const rows = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.trim().split(/\s+/))).toEqual([
      ['lines', 'words', 'characters', 'sentences', 'reading', 'file'],
      ['2', '3', '14', '1', '1s', 'one.txt'],
      ['1', '1', '4', '1', '1s', 'two.txt'],
      ['3', '4', '18', '2', '2s', 'total'],
    ]);
  });

  it('reads standard input and prints JSON', () => {
    const { status, stdout } = runNode('word-count/scripts/count.mjs', ['--json', '-'], { input: 'hi there' });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ file: '-', words: 2, lines: 1 }]);
  });

  it('continues after an unreadable file, and reports it', () => {
    writeFileSync(join(workDir, 'bytes.bin'), Buffer.from([0xff, 0xfe, 0x00]));
    const files = ['missing.txt', 'bytes.bin', 'ok.txt'];
    writeFileSync(join(workDir, 'ok.txt'), 'fine');
    const { status, stdout, stderr } = runNode('word-count/scripts/count.mjs', ['--json', ...files], { cwd: workDir });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([{ file: 'ok.txt', words: 1 }]);
    expect(stderr).toContain('missing.txt: ENOENT');
    expect(stderr).toContain('bytes.bin: not UTF-8 text');
  });

  it('explains wrong usage', () => {
    const { status, stderr } = runNode('word-count/scripts/count.mjs', []);
    expect(status).toBe(2);
    expect(stderr).toContain('Usage: count.mjs');
  });
});

describe('text-diff: diff_text', () => {
  it('returns the result that its instructions show', async () => {
    const diff = await loadHandler('text-diff/scripts/diff_text.mjs');
    expect(await diff({ before: 'red\ngreen\nblue\n', after: 'red\nyellow\nblue\n', context: 1 })).toEqual({
      identical: false,
      added: 1,
      removed: 1,
      hunks: 1,
      diff: '--- before\n+++ after\n@@ -1,3 +1,3 @@\n red\n-green\n+yellow\n blue\n',
    });
  });

  it('handles equal, empty and unterminated texts', async () => {
    const diff = await loadHandler('text-diff/scripts/diff_text.mjs');
    expect(await diff({ before: '', after: '' })).toEqual({
      identical: true,
      added: 0,
      removed: 0,
      hunks: 0,
      diff: '',
    });
    expect((await diff({ before: '', after: 'é😀\n' })).diff).toBe('--- before\n+++ after\n@@ -0,0 +1 @@\n+é😀\n');
    expect((await diff({ before: 'a\n', after: 'a' })).diff).toBe(
      '--- before\n+++ after\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n',
    );
    expect(await diff({ before: 'a\r\nb', after: 'a\nb', ignore_line_endings: true })).toMatchObject({
      identical: true,
    });
    expect(await diff({ before: 'a\r\nb', after: 'a\nb' })).toMatchObject({ added: 1, removed: 1 });
  });

  it('separates distant changes and joins near ones', async () => {
    const diff = await loadHandler('text-diff/scripts/diff_text.mjs');
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const after = lines.with(2, 'changed').with(9, 'changed').join('\n');
    expect(await diff({ before: lines.join('\n'), after })).toMatchObject({ hunks: 1, added: 2 });
    expect(await diff({ before: lines.join('\n'), after, context: 2 })).toMatchObject({ hunks: 2, added: 2 });
  });

  it('finds a shortest diff for all short texts over three lines', async () => {
    const diff = await loadHandler('text-diff/scripts/diff_text.mjs');
    const texts = allTexts(['a\n', 'b\n', 'c\n'], 4);
    for (const before of texts) {
      for (const after of texts.filter((_, index) => index % 3 === 0)) {
        const result = await diff({ before: before.join(''), after: after.join('') });
        const kept = commonLength(before, after);
        expect([result.removed, result.added]).toEqual([before.length - kept, after.length - kept]);
      }
    }
  });

  it('stays valid and quick on long shuffled texts', async () => {
    const diff = await loadHandler('text-diff/scripts/diff_text.mjs');
    const count = 10_000;
    const before = Array.from({ length: count }, (_, index) => `line ${index}`);
    const after = before.map((_, index) => `line ${(index * 7919) % count}`);
    const result = await diff({ before: before.join('\n'), after: after.join('\n'), context: count });
    expect(result.hunks).toBe(1);
    const body = String(result.diff)
      .split('\n')
      .filter((line) => /^[ +-]line /.test(line));
    const side = (sign: string) => body.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1));
    expect(side('+')).toEqual(before);
    expect(side('-')).toEqual(after);
  }, 30_000);

  it('does not let a label forge a header', async () => {
    const diff = await loadHandler('text-diff/scripts/diff_text.mjs');
    const { diff: text } = await diff({ before: 'a', after: 'b', before_label: 'x\n+++ forged' });
    expect(String(text).split('\n').slice(0, 2)).toEqual(['--- "x\\n+++ forged"', '+++ after']);
  });

  it.each([
    [{ before: 'a' }, /"after" must be a string/],
    [null, /Expected an object/],
    [{ before: 'a', after: 'b', context: -1 }, /"context" must be a whole number/],
    [{ before: 'a', after: 'b', context: 1.5 }, /"context" must be a whole number/],
    [{ before: 'a', after: 'b', before_label: '' }, /"before_label"/],
    [{ before: 'a', after: 'b', ignore_line_endings: 'yes' }, /"ignore_line_endings"/],
    [{ before: 'a', after: '\n'.repeat(200_001) }, /at most 200000/],
  ])('rejects bad input %#', async (args, message) => {
    const diff = await loadHandler('text-diff/scripts/diff_text.mjs');
    await expect(diff(args)).rejects.toThrow(message);
  });
});

describe('text-diff: scripts/diff.mjs', () => {
  const script = 'text-diff/scripts/diff.mjs';

  it('exits with 0 for equal files and 1 for different ones', () => {
    writeFileSync(join(workDir, 'a.txt'), 'one\ntwo\nthree\n');
    writeFileSync(join(workDir, 'b.txt'), 'one\n2\nthree\n');
    expect(runNode(script, ['a.txt', 'a.txt'], { cwd: workDir })).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(runNode(script, ['--context', '0', 'a.txt', 'b.txt'], { cwd: workDir })).toEqual({
      status: 1,
      stdout: '--- a.txt\n+++ b.txt\n@@ -2 +2 @@\n-two\n+2\n',
      stderr: '',
    });
  });

  it('reads one side from standard input', () => {
    writeFileSync(join(workDir, 'crlf.txt'), 'a\r\nb\r\n');
    const result = runNode(script, ['--ignore-line-endings', 'crlf.txt', '-'], { cwd: workDir, input: 'a\nb\n' });
    expect(result).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('reports only that binary files differ', () => {
    writeFileSync(join(workDir, 'x.bin'), Buffer.from([0, 1]));
    writeFileSync(join(workDir, 'y.bin'), Buffer.from([0, 2]));
    const result = runNode(script, ['x.bin', 'y.bin'], { cwd: workDir });
    expect(result).toMatchObject({ status: 1, stdout: 'Binary files x.bin and y.bin differ\n' });
  });

  it.each([
    [['only-one'], 'expected two files'],
    [['missing', 'missing'], 'cannot read missing'],
    [['.', '.'], 'cannot read .'],
    [['--context', 'many', 'a', 'b'], '--context needs a whole number'],
  ])('exits with 2 for %j', (args, message) => {
    const { status, stdout, stderr } = runNode(script, args, { cwd: workDir });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('calendar-calculator tools', () => {
  const call = async (tool: string, args: unknown) =>
    (await loadHandler(`calendar-calculator/scripts/${tool}.mjs`))(args);

  it('measures the time between dates', async () => {
    expect(await call('date_difference', { start: '2024-01-31', end: '2024-03-01', __workDir: workDir })).toEqual({
      start: '2024-01-31',
      end: '2024-03-01',
      days: 30,
      days_counting_both_ends: 31,
      direction: 'forward',
      weeks_and_days: { weeks: 4, days: 2 },
      calendar: { years: 0, months: 1, days: 1 },
    });
    expect(await call('date_difference', { start: '2025-02-28', end: '2024-02-29' })).toMatchObject({
      days: -365,
      direction: 'backward',
      calendar: { years: 1, months: 0, days: 0 },
    });
    expect(await call('date_difference', { start: '0000-01-01', end: '9999-12-31' })).toMatchObject({
      days: 3_652_424,
    });
  });

  it('adds to dates, and stays within the month', async () => {
    expect(await call('add_to_date', { date: '2024-01-31', months: 1 })).toEqual({
      date: '2024-01-31',
      result: '2024-02-29',
      weekday: 'Thursday',
      clamped_to_month_end: true,
    });
    expect(await call('add_to_date', { date: '2024-02-29', years: -1 })).toMatchObject({ result: '2023-02-28' });
    expect(await call('add_to_date', { date: '2024-03-31', months: -13 })).toMatchObject({ result: '2023-02-28' });
    expect(await call('add_to_date', { date: '1999-12-31', days: 1 })).toMatchObject({ result: '2000-01-01' });
    expect(await call('add_to_date', { date: '2026-11-16', weeks: -2, days: 3 })).toMatchObject({
      result: '2026-11-05',
    });
  });

  it.each([
    ['1969-07-20', { weekday: 'Sunday', iso_week: 29, iso_week_year: 1969, quarter: 3 }],
    ['2021-01-03', { weekday: 'Sunday', iso_week: 53, iso_week_year: 2020, day_of_year: 3 }],
    ['2018-12-31', { weekday: 'Monday', iso_week: 1, iso_week_year: 2019, day_of_year: 365 }],
    ['1900-02-28', { weekday: 'Wednesday', leap_year: false, days_in_month: 28 }],
    ['2000-02-29', { weekday: 'Tuesday', leap_year: true, days_in_month: 29 }],
    ['1582-10-15', { weekday: 'Friday' }],
  ])('knows the weekday of %s', async (date, expected) => {
    expect(await call('weekday_of', { date })).toMatchObject({ date, ...expected });
  });

  it('agrees with Date on every 97th day of ten thousand years', async () => {
    const start = '0000-01-01';
    const origin = Date.parse(`${start}T00:00:00Z`);
    const addToDate = await loadHandler('calendar-calculator/scripts/add_to_date.mjs');
    const wrong: unknown[] = [];
    for (let days = 0; days <= 3_652_424; days += 97) {
      const expected = new Date(origin + days * 86_400_000).toISOString().slice(0, 10);
      const { result } = await addToDate({ date: start, days });
      if (result !== expected) wrong.push({ days, result, expected });
    }
    expect(wrong).toEqual([]);
  });

  it('counts and finds business days', async () => {
    const holidays = ['2026-12-25', '2027-01-01'];
    expect(await call('business_days', { start: '2026-12-21', end: '2027-01-01', holidays })).toEqual({
      start: '2026-12-21',
      end: '2027-01-01',
      calendar_days: 12,
      business_days: 8,
      weekend_days: 2,
      holidays,
    });
    expect(await call('business_days', { start: '2026-12-21', add: 10, holidays })).toMatchObject({
      result: '2027-01-06',
      weekday: 'Wednesday',
      holidays,
    });
    expect(await call('business_days', { start: '2026-12-21', add: -1 })).toMatchObject({ result: '2026-12-18' });
    expect(await call('business_days', { start: '2027-01-04', add: -8, holidays })).toMatchObject({
      result: '2026-12-21',
      holidays,
    });
    expect(
      await call('business_days', { start: '2026-12-21', end: '2026-12-27', weekend: ['friday', 'saturday'] }),
    ).toMatchObject({ business_days: 5, weekend_days: 2 });
    // A holiday on a Saturday is not subtracted twice.
    expect(
      await call('business_days', { start: '2026-12-21', end: '2026-12-27', holidays: ['2026-12-26'] }),
    ).toMatchObject({ business_days: 5, weekend_days: 2, holidays: [] });
  });

  it.each([
    ['date_difference', {}, /"start" is missing/],
    ['date_difference', null, /Expected an object/],
    ['date_difference', { start: '2023-02-29', end: '2024-01-01' }, /does not exist: 2023-02-29/],
    ['date_difference', { start: '2023-13-01', end: '2024-01-01' }, /no month 13/],
    ['date_difference', { start: '1/2/2024', end: '2024-01-01' }, /written YYYY-MM-DD/],
    ['add_to_date', { date: '2024-01-01' }, /at least one of/],
    ['add_to_date', { date: '2024-01-01', days: 0.5 }, /"days" must be a whole number/],
    ['add_to_date', { date: '2024-01-01', days: '5' }, /"days" must be a whole number/],
    ['add_to_date', { date: '9999-12-31', days: 1 }, /outside the years/],
    ['weekday_of', { date: '2024-01-01\n' }, /written YYYY-MM-DD/],
    ['business_days', { start: '2024-01-01' }, /exactly one of/],
    ['business_days', { start: '2024-01-02', end: '2024-01-01' }, /swap them/],
    ['business_days', { start: '2024-01-01', end: '2024-01-05', holidays: ['x'] }, /"holidays\[0\]"/],
    ['business_days', { start: '2024-01-01', add: 1, weekend: ['caturday'] }, /"weekend" holds "caturday"/],
    ['business_days', { start: '2024-01-01', add: 4_000_000 }, /outside the years/],
  ])('%s rejects %j', async (tool, args, message) => {
    await expect(call(tool, args)).rejects.toThrow(message);
  });
});

describe('calendar-calculator scripts', () => {
  it('print results on the command line', () => {
    const { status, stdout } = runNode('calendar-calculator/scripts/calendar.mjs', ['add', '2024-01-31', '--days=-31']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ result: '2023-12-31' });
    const wrong = runNode('calendar-calculator/scripts/calendar.mjs', ['weekday', '2024-02-30']);
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr).toContain('does not exist: 2024-02-30');
  });

  it.skipIf(windows)('prints today as the weekday_of tool sees it', async () => {
    const script = join(skillsDir, 'calendar-calculator/scripts/today.sh');
    const { status, stdout } = run(script, ['--utc']);
    expect(status).toBe(0);
    const match = /^date: (\S+)\nweekday: (\w+)\nweek: (\d{4})-W(\d\d)\nday of year: (\d+)\n$/.exec(stdout);
    const [, date, weekday, weekYear, week, dayOfYear] = match ?? [];
    const weekdayOf = await loadHandler('calendar-calculator/scripts/weekday_of.mjs');
    expect(await weekdayOf({ date })).toMatchObject({
      weekday,
      iso_week: Number(week),
      iso_week_year: Number(weekYear),
      day_of_year: Number(dayOfYear),
    });
    expect(run(script, ['tomorrow'])).toMatchObject({ status: 2, stdout: '' });
  });
});

describe.skipIf(python === undefined)('Python tools', () => {
  interface Answer {
    result?: Json;
    error?: string;
  }
  const script = (path: string) => join(skillsDir, path);

  /** Calls a module's handler for many inputs in one process, as a warm worker would. */
  function callAll(path: string, inputs: unknown[]): Answer[] {
    const driver = [
      'import importlib.util, json, sys',
      'sys.dont_write_bytecode = True',
      'spec = importlib.util.spec_from_file_location("tool", sys.argv[1])',
      'tool = importlib.util.module_from_spec(spec)',
      'spec.loader.exec_module(tool)',
      'answers = []',
      'for args in json.load(sys.stdin):',
      '    try:',
      '        answers.append({"result": tool.handler(args)})',
      '    except ValueError as error:',
      '        answers.append({"error": str(error)})',
      'print(json.dumps(answers, allow_nan=False))',
    ].join('\n');
    const { status, stdout, stderr } = run(python ?? '', ['-c', driver, script(path)], {
      input: JSON.stringify(inputs),
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    return JSON.parse(stdout) as Answer[];
  }

  it('word_frequency ranks words and rejects bad input', () => {
    const [ranked, unicode, filtered, empty, ...refused] = callAll('word-count/scripts/word_frequency.py', [
      { text: 'To be, or not to be: TO BE', limit: 2, __workDir: workDir },
      { text: "Don’t don't हिन्दी हिन्दी café cafe\u0301" },
      { text: 'the cat and the hat sat', remove_stop_words: true, min_length: 3, stop_words: ['HAT'] },
      { text: '' },
      { text: 5 },
      [],
      { text: 'a', limit: 0 },
      { text: 'a', limit: true },
      { text: 'a', stop_words: 'the' },
      { text: 'a', remove_stop_words: 'yes' },
    ]);
    expect(ranked?.result).toEqual({
      total_words: 8,
      counted_words: 8,
      distinct_words: 4,
      words: [
        { word: 'be', count: 3, share: 0.375 },
        { word: 'to', count: 3, share: 0.375 },
      ],
    });
    expect(unicode?.result?.words).toMatchObject(
      [
        { word: 'café', count: 2 },
        { word: "don't", count: 2 },
        { word: 'हिन्दी', count: 2 },
      ].toSorted((a, b) => (a.word < b.word ? -1 : 1)),
    );
    expect(filtered?.result?.words).toMatchObject([{ word: 'cat' }, { word: 'sat' }]);
    expect(empty?.result).toEqual({ total_words: 0, counted_words: 0, distinct_words: 0, words: [] });
    expect(refused.map((answer) => answer.error)).toEqual([
      '"text" must be a string.',
      'Expected an object with a "text" string.',
      '"limit" must be a whole number from 1 to 1000.',
      '"limit" must be a whole number from 1 to 1000.',
      '"stop_words" must be a list of strings.',
      '"remove_stop_words" must be true or false.',
    ]);
  });

  it('csv_stats describes columns and rejects bad input', () => {
    const csvDir = join(workDir, 'csv');
    mkdirSync(csvDir);
    writeFileSync(join(workDir, 'secret.csv'), 'a\n1\n');
    writeFileSync(
      join(csvDir, 'sales.csv'),
      'day;amount;note\n2024-02-28;1,5;"a;b"\n2024-02-29;2;"say ""hi""\nthere"\n',
    );
    writeFileSync(join(csvDir, 'latin1.csv'), Buffer.from([0xe9, 0x2c, 0x62, 0x0a]));
    if (!windows) symlinkSync(join(workDir, 'secret.csv'), join(csvDir, 'link.csv'));
    const inDir = (args: Json) => ({ ...args, __workDir: csvDir });
    const [plain, sniffed, numbers, odd, ragged, headless, ...refused] = callAll('csv-stats/scripts/csv_stats.py', [
      { csv: 'city,temp\nOslo,4\nCairo,31\nLima,\n' },
      inDir({ path: 'sales.csv' }),
      { csv: 'n\tflag\n1.5\tyes\n-2e1\tno\nNaN\tNO\n' },
      { csv: 'zip,id,big\n00123,9007199254740993,1e999\n04567,1,2\n' },
      { csv: '\uFEFFa,a,\n1,2,3,4\n\n1\n' },
      { csv: '1|x\n3|y\n', header: false },
      inDir({ path: '../secret.csv' }),
      inDir({ path: join(workDir, 'secret.csv') }),
      inDir({ path: windows ? '../secret.csv' : 'link.csv' }),
      inDir({ path: 'missing.csv' }),
      inDir({ path: '.' }),
      inDir({ path: 'latin1.csv' }),
      { path: 'sales.csv' },
      {},
      { csv: '' },
      { csv: 'a,b\n"x' },
      { csv: 'a,b\n"x"y,1\n' },
      { csv: 'a', delimiter: '--' },
    ]);
    expect(plain?.result).toEqual({
      delimiter: ',',
      header: true,
      rows: 3,
      columns: [
        {
          name: 'city',
          type: 'text',
          count: 3,
          missing: 0,
          distinct: 3,
          numeric_count: 0,
          min_length: 4,
          max_length: 5,
          top_values: ['Cairo', 'Lima', 'Oslo'].map((value) => ({ value, count: 1 })),
        },
        {
          name: 'temp',
          type: 'integer',
          count: 2,
          missing: 1,
          distinct: 2,
          mean: 17.5,
          median: 17.5,
          stdev: 19.091883092,
          min: 4,
          max: 31,
        },
      ],
      warnings: [],
    });
    expect(sniffed?.result).toMatchObject({
      delimiter: ';',
      columns: [
        { name: 'day', type: 'date', min: '2024-02-28', max: '2024-02-29' },
        { name: 'amount', type: 'text', numeric_count: 1 },
        { name: 'note', type: 'text', top_values: [{ value: 'a;b' }, { value: 'say "hi"\nthere' }] },
      ],
    });
    expect(numbers?.result).toMatchObject({
      delimiter: '\t',
      columns: [
        { type: 'number', count: 2, missing: 1, mean: -9.25, min: -20, max: 1.5 },
        { type: 'boolean', count: 3, distinct: 3 },
      ],
    });
    expect(odd?.result).toMatchObject({ columns: [{ type: 'text' }, { type: 'text' }, { type: 'text' }] });
    expect(ragged?.result).toMatchObject({
      rows: 2,
      columns: [
        { name: 'a', count: 2 },
        { name: 'a_2', missing: 1 },
        { name: 'column_3', missing: 1 },
      ],
    });
    expect(ragged?.result?.warnings).toHaveLength(3);
    expect(headless?.result).toMatchObject({ delimiter: '|', rows: 2, columns: [{ name: 'column_1', mean: 2 }, {}] });
    const messages = refused.map((answer) => answer.error ?? JSON.stringify(answer.result));
    const expected = [
      /leaves the working directory/,
      /must be relative to the working directory/,
      /leaves the working directory/,
      /File not found: missing.csv/,
      /Not a regular file/,
      /latin1.csv is not UTF-8 text \(byte 0\)/,
      /needs a working directory/,
      /exactly one of "path" and "csv"/,
      /table is empty/,
      /Malformed CSV at line 2/,
      /Malformed CSV at line 2/,
      /"delimiter" must be one character/,
    ];
    expect(messages).toHaveLength(expected.length);
    messages.forEach((message, index) => expect(message).toMatch(expected[index] ?? /never/));
  });

  it('word_frequency.py accepts JSON as an argument', () => {
    const { status, stdout } = run(python ?? '', [
      script('word-count/scripts/word_frequency.py'),
      '{"text": "ja, ja"}',
    ]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ words: [{ word: 'ja', count: 2, share: 1 }] });
  });

  it('csv_stats.py prints a table for a file, and fails on standard input that is not JSON', () => {
    writeFileSync(join(workDir, 'table.csv'), 'x,y\n1,a\n2,b\n');
    const path = script('csv-stats/scripts/csv_stats.py');
    const table = run(python ?? '', [path, 'table.csv'], { cwd: workDir });
    expect(table.status).toBe(0);
    expect(
      table.stdout
        .split('\n')
        .slice(0, 4)
        .map((line) => line.trim().split(/\s{2,}/)),
    ).toEqual([
      ["2 rows, 2 columns, delimiter ','"],
      [''],
      ['column', 'type', 'count', 'missing', 'distinct', 'mean', 'median', 'stdev', 'min', 'max'],
      ['x', 'integer', '2', '0', '2', '1.5', '1.5', '0.707106781187', '1', '2'],
    ]);
    const broken = run(python ?? '', [path], { input: 'not json' });
    expect(broken).toMatchObject({ status: 1, stdout: '' });
    expect(broken.stderr).toContain('csv_stats.py: The input is not JSON');
  });
});

describe('code-review', () => {
  it('accepts an argument and restricts itself to reading', () => {
    const { head, body } = readSkill('code-review');
    expect(head).toContain('\nallowed-tools: Read, Grep, Glob, Bash(git diff:*)\n');
    expect(head).toMatch(/^argument-hint: (["'])\[file or git range\]\1$/m);
    expect(body.match(/\$ARGUMENTS/g)).toHaveLength(1);
    const commands = body.match(/`git [^`]*`/g) ?? [];
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expect(command).toMatch(/^`git diff/);
  });
});

describe('tool-call-error-recovery', () => {
  it('declares the triggers and tags of the error-recovery design', () => {
    const { head } = readSkill('tool-call-error-recovery');
    expect(head).toContain('triggers:\n  - tool_call_error\n  - missing_parameter\n  - invalid_tool_call\n');
    expect(head).toContain('tags:\n  - error-handling\n  - tool-call\n  - filesystem\n  - recovery');
  });

  it('shows for every tool example calls with all required parameters', () => {
    const { body } = readSkill('tool-call-error-recovery');
    const sections = body.split(/^## /m).filter((section) => section.startsWith('Tool: '));
    expect(sections.map((section) => section.slice(6, section.indexOf('\n'))).toSorted()).toEqual([
      'DatabaseTool_query',
      'FileSystemTool_list_files',
      'FileSystemTool_read_file',
      'FileSystemTool_search_files',
      'FileSystemTool_write_file',
      'load_skill',
      'use_skill',
    ]);
    for (const section of sections) {
      const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(section)?.[1] ?? '') as {
        tool_name: string;
        arguments: Json;
      };
      expect(section.startsWith(`Tool: ${example.tool_name}\n`)).toBe(true);
      const list = /Required parameters:\n\n([\s\S]*?)\n\n/.exec(section)?.[1] ?? '';
      const required = [...list.matchAll(/^- `(\w+)` \(/gm)].map((match) => match[1] ?? '');
      expect(required.length).toBeGreaterThan(0);
      for (const parameter of required) expect(example.arguments).toHaveProperty(parameter);
    }
  });
});

describe('fixtures of the seeds', () => {
  it('discord lists its channels and rejects unknown ones', () => {
    const discord = join(fixturesDir, 'seed-000/skills/discord/discord.mjs');
    const list = run(process.execPath, [discord, 'channels', 'list']);
    expect(list).toMatchObject({ status: 0, stdout: expect.stringContaining('1234567890  #dev\n') as string });
    expect(run(process.execPath, [discord, 'send', 'Hello World', '--channel=1234567890'])).toEqual({
      status: 0,
      stdout: 'Sent to #dev (1234567890): Hello World\n',
      stderr: '',
    });
    expect(run(process.execPath, [discord, 'send', 'Hello', '--channel=1'])).toMatchObject({ status: 1, stdout: '' });
  });

  it.skipIf(windows)('deploy rehearses and verifies, for known environments only', () => {
    const scripts = join(fixturesDir, 'seed-000/skills/deploy/scripts');
    expect(run(join(scripts, 'deploy.sh'), ['staging'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('deployed to staging') as string,
    });
    expect(run(join(scripts, 'deploy.sh'), ['moon'])).toMatchObject({ status: 2, stdout: '' });
    expect(run(process.execPath, [join(scripts, 'verify.mjs'), 'staging']).status).toBe(0);
    expect(run(process.execPath, [join(scripts, 'verify.mjs'), 'moon']).status).toBe(2);
  });

  it('plugin manifests and the marketplace point at skills that exist', () => {
    const read = (path: string) => JSON.parse(readFileSync(join(fixturesDir, 'seed-002', path), 'utf8')) as Json;
    expect(read('appendix-b/demo-plugin/plugin.json').skills).toEqual(['additional-skills']);
    expect(read('anthropic-plugin/.claude-plugin/plugin.json').skills).toBe('./additional-skills');
    expect(read('marketplace/.claude-plugin/marketplace.json').plugins).toMatchObject([
      { name: 'alpha', source: './plugins/alpha' },
      { name: 'beta', source: { source: 'github' } },
      { name: 'gamma', source: { source: 'url' } },
    ]);
    for (const skill of [
      'appendix-a/pdf-extractor',
      'appendix-b/demo-plugin/skills/data-processor',
      'appendix-b/demo-plugin/additional-skills/report-writer',
      'anthropic-plugin/skills/data-processor',
      'anthropic-plugin/additional-skills/report-writer',
      'marketplace/plugins/alpha/skills/alpha-greeting',
    ]) {
      expect(statSync(join(fixturesDir, 'seed-002', skill, 'SKILL.md')).isFile(), skill).toBe(true);
    }
  });
});

/** Every list of up to `length` of the given lines. */
function allTexts(lines: string[], length: number): string[][] {
  if (length === 0) return [[]];
  const shorter = allTexts(lines, length - 1);
  const longest = shorter.filter((text) => text.length === length - 1);
  return [...shorter, ...longest.flatMap((text) => lines.map((line) => [...text, line]))];
}

/** Length of a longest common subsequence, by the textbook algorithm. */
function commonLength(a: string[], b: string[]): number {
  let previous = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const row = [0];
    b.forEach((other, j) => {
      row.push(line === other ? (previous[j] ?? 0) + 1 : Math.max(previous[j + 1] ?? 0, row[j] ?? 0));
    });
    previous = row;
  }
  return previous[b.length] ?? 0;
}

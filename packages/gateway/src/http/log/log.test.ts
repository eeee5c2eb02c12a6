import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from './log.ts';

const LOG = new URL('log.ts', import.meta.url).href;

/** A program that logs to standard error. */
const programOf = (rest: string): string[] => [
  '--input-type=module',
  '--eval',
  `import { createLog } from ${JSON.stringify(LOG)};
   const log = createLog({ level: 'info', secrets: [] });
   for (let n = 1; n <= 3; n += 1) log.info({ n }, 'line');
   ${rest}`,
];

it('the log loses no line, however the process exits', async () => {
  for (const ending of ['', 'process.exit(0);', 'log.flush();']) {
    const { stderr } = await promisify(execFile)(process.execPath, programOf(ending));
    const lines = stderr.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual([1, 2, 3]);
  }
});

it('the log writes lines while the process keeps running', async () => {
  const child = spawn(process.execPath, programOf('setInterval(() => {}, 60_000);'), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const [text] = (await once(child.stderr, 'data')) as [Buffer];
    expect(text.toString()).toContain('"n":1');
  } finally {
    child.kill('SIGKILL');
  }
});

/** Logs more than is buffered, over 200 turns of the event loop. Prints the number of turns, and of blocking calls. */
const busy = (ending: string): string => `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let [turns, blocking] = [0, 0];
  const count = (call) => (...given) => { blocking += 1; return call(...given); };
  fs.writeSync = count(fs.writeSync);
  Atomics.wait = count(Atomics.wait);
  syncBuiltinESMExports();
  const text = 'x'.repeat(2_000);
  const timer = setInterval(() => {
    for (let n = 0; n < 20; n += 1) log.info({ text }, 'more');
    turns += 1;
    if (turns < 200) return;
    clearInterval(timer);
    console.log(turns, blocking);
    ${ending}
  }, 10);`;

it.skipIf(!existsSync('/dev/full'))(
  'a log that cannot be written neither blocks nor ends the process',
  () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    for (const ending of ['', 'process.exit(0);']) {
      const { status, stdout } = spawnSync(process.execPath, programOf(busy(ending)), {
        stdio: ['ignore', 'pipe', full],
        encoding: 'utf8',
        timeout: 25_000,
      });
      expect([status, stdout]).toEqual([0, '200 0\n']);
    }
  },
  60_000,
);

it.each([true, false])('the log does not block on a pipe that nobody reads (reader open: %s)', async (isHeld) => {
  const child = spawn(process.execPath, programOf(busy('')), { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text));
  if (!isHeld) child.stderr.destroy();
  // A write that waits for the reader, here or at exit, would never end.
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(said).toBe('200 0\n');
});

it.skipIf(!existsSync('/proc/self/fd'))(
  'a process exits even if its log is a named pipe that nobody reads',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'skillwright-log-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    const pipe = openSync(join(directory, 'pipe'), 'r+');
    onTestFinished(() => closeSync(pipe));
    const child = spawn(process.execPath, programOf(busy('')), { stdio: ['ignore', 'ignore', pipe] });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

it.skipIf(process.getuid?.() !== 0 || spawnSync('unshare', ['-m', 'true']).status !== 0)(
  'the log reports how many lines were lost once the disk has room again',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'skillwright-log-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const script = `mount -t tmpfs -o size=64k tmpfs ${directory} && head -c 60000 /dev/zero > ${directory}/fill;
      "$@" 2>> ${directory}/log; grep -v '"text"' ${directory}/log > /proc/self/fd/9`;
    const ending = `const text = 'x'.repeat(2_000);
      const timer = setInterval(() => log.info({ text }, 'more'), 20);
      setTimeout(() => require('node:fs').rmSync(${JSON.stringify(join(directory, 'fill'))}), 1_500);
      setTimeout(() => { clearInterval(timer); log.info('last'); }, 1_600);`;
    const out = join(directory, '..', `${directory.split('/').at(-1)}.out`);
    writeFileSync(out, '');
    onTestFinished(() => rmSync(out, { force: true }));
    const kept = openSync(out, 'w');
    onTestFinished(() => closeSync(kept));
    const program = programOf(
      `import { createRequire } from 'node:module'; const require = createRequire('/'); ${ending}`,
    );
    const child = spawn('unshare', ['-m', 'sh', '-c', script, 'sh', process.execPath, ...program], {
      stdio: ['ignore', 'inherit', 'inherit', ...Array.from({ length: 6 }, () => 'ignore' as const), kept],
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    const lines = readFileSync(out, 'utf8').trim().split('\n');
    const told = lines.map((line) => JSON.parse(line) as { lost?: number; msg: string });
    expect(told.find(({ lost }) => (lost ?? 0) > 0)).toMatchObject({
      msg: 'some lines of this log were lost because they could not be written',
    });
  },
  20_000,
);

describe('log lines in a terminal', () => {
  const hasTerminal = spawnSync('script', ['--version']).status === 0;

  /** Returns what a logging program shows in a terminal. */
  function shown(options: object, env: Record<string, string> = {}): string {
    const directory = mkdtempSync(join(tmpdir(), 'skillwright-log-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const program = join(directory, 'program.mjs');
    writeFileSync(
      program,
      `import { createLog } from ${JSON.stringify(LOG)};
       const options = { level: 'info', secrets: ['the-secret-key'], env: process.env };
       createLog({ ...options, ...${JSON.stringify(options)} }).warn({ value: 'the-secret-key \u009b2J\u001b[2J' }, 'line');`,
    );
    const { NO_COLOR: _none, FORCE_COLOR: _forced, ...rest } = process.env;
    const { stdout } = spawnSync('script', ['-qec', `'${process.execPath}' '${program}'`, '/dev/null'], {
      encoding: 'utf8',
      env: { ...rest, TERM: 'xterm', ...env },
    });
    return stdout;
  }

  it.skipIf(!hasTerminal)('are text with colors, without keys, and without control characters from values', () => {
    const text = shown({});
    expect(text).toContain('\u001B[33mwarn \u001B[39m line ');
    expect(text).toContain(String.raw`value=[redacted] \u009b2J\u001b[2J`);
    expect(text).not.toContain('\u009B');
    expect(text).not.toContain('\u001B[2J');
  });

  it.skipIf(!hasTerminal)('have no colors with NO_COLOR', () => {
    expect(shown({}, { NO_COLOR: '1' })).toMatch(/^\d\d:\d\d:\d\d warn {2}line value=/);
  });

  it.skipIf(!hasTerminal)('are JSON on request, without control characters', () => {
    const text = shown({ format: 'json' });
    expect(JSON.parse(text)).toMatchObject({ msg: 'line', value: '[redacted] \u009B2J\u001B[2J' });
    expect(text).not.toContain('\u009B');
  });
});

it.each([
  ['text', {}, /^\d\d:\d\d:\d\d info {2}line n=1\n$/],
  ['text', { FORCE_COLOR: '1' }, /^.\[2m\d/],
  ['auto', { FORCE_COLOR: '1' }, /^\{"level":"info"/],
  ['json', {}, /^\{"level":"info"/],
] as const)('the log uses format %s for another destination, with the environment %j', (format, env, expected) => {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    secrets: [],
    format,
    env,
    destination: { write: (line) => lines.push(line) },
  });
  log.info({ n: 1 }, 'line');
  expect(lines).toEqual([expect.stringMatching(expected)]);
});

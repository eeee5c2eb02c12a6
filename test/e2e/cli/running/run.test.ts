import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../proves.ts';
import { repository, runHere, spawnBash, spawnCli, type CliResult } from '../cli-runner.ts';
import { countProcesses, environment, hasBubblewrap, makeKit, startCli, tiers } from './running-cli.ts';

const posix = process.platform !== 'win32';
const linux = process.platform === 'linux';
const named = ['--dir', 'skills'];

const HOSTILE = ['; touch pwned', '$(id)', '`id`', 'a b', '', '*', '--flag', 'quo"te', "it's", 'two\nlines', 'ünï🙂'];
const ECHO: Readonly<Record<string, string>> = {
  'scripts/echo.mjs': 'console.log(JSON.stringify(process.argv.slice(2)));',
  'scripts/echo.mts': 'const words: string[] = process.argv.slice(2); console.log(JSON.stringify(words));',
  'scripts/echo.py': 'import json, sys\nprint(json.dumps(sys.argv[1:]))\n',
};

function runIn(cwd: string, args: readonly string[], env: Record<string, string> = {}): CliResult {
  return spawnCli(args, { cwd, env: { ...environment(cwd), ...env } });
}

/** Runs one script of a skill. Naming the skill's directory with `--dir` makes it trusted. */
function runScript(script: string, code: string, ...more: readonly string[]): CliResult {
  return runIn(makeKit({ [script]: code }), ['run', 'kit', script, ...named, ...more]);
}

describe.each(tiers)('skillwright run in the tier %s', (tier, options) => {
  it.each(Object.entries(ECHO))('passes arguments to %s unchanged', (script, code) => {
    proves('S2.FR-6.2.capture');
    const cwd = makeKit({ [script]: code });
    const { code: exit, stdout, stderr } = runIn(cwd, ['run', 'kit', script, ...options, '--', ...HOSTILE]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(HOSTILE);
  });

  it('runs a shell script in the directory of the skill, with standard input passed on', () => {
    proves('S2.FR-6.2.cwd');
    const cwd = makeKit({ 'scripts/in.sh': 'pwd; cat; printf done' });
    const line = `printf 'piped\\ntext' | $CLI run kit scripts/in.sh ${options.join(' ')}`;
    const { stdout, stderr } = spawnBash(line, { cwd, env: environment(cwd) });
    expect({ stdout, stderr }).toEqual({ stdout: `${cwd}/skills/kit\npiped\ntextdone`, stderr: '' });
  });

  it('shows output while the script runs', async () => {
    const cwd = makeKit({
      'scripts/wait.sh': 'echo first; echo aside >&2; while [ ! -e go ]; do sleep 0.02; done; echo last',
    });
    const cli = startCli(['run', 'kit', 'scripts/wait.sh', '--workspace', 'read', ...options], { cwd });
    await cli.until('stdout', 'first\n');
    await cli.until('stderr', 'aside\n');
    writeFileSync(join(cwd, 'go'), '');
    expect(await cli.ended).toBe(0);
    expect({ stdout: cli.stdout(), stderr: cli.stderr() }).toEqual({ stdout: 'first\nlast\n', stderr: 'aside\n' });
  });

  it.skipIf(!linux)('ends all processes on Ctrl-C', async () => {
    const mark = `4${String(Date.now()).slice(-7)}`;
    const cwd = makeKit({ 'scripts/long.sh': `sleep ${mark} & setsid sleep ${mark} & echo ready; wait` });
    const cli = startCli(['run', 'kit', 'scripts/long.sh', ...options], { cwd });
    await cli.until('stdout', 'ready\n');
    // The shell's fork may not have become `sleep` yet.
    await expect.poll(() => countProcesses(mark), { timeout: 20_000 }).toBeGreaterThan(0);
    cli.signal('SIGINT');
    expect(await cli.ended).toBe(130);
    expect({ left: countProcesses(mark), stderr: cli.stderr() }).toEqual({ left: 0, stderr: '' });
  });

  it.skipIf(!linux)('ends the script silently when the reader of a pipe goes away', () => {
    const mark = `mark-${Date.now()}-${tier}`;
    const cwd = makeKit({ 'scripts/forever.sh': 'while :; do echo line; done' });
    const line = `$CLI run kit scripts/forever.sh ${options.join(' ')} ${mark} | head -1; echo "$\{PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnBash(line, { cwd, env: environment(cwd) });
    expect({ stdout, stderr, left: countProcesses(mark) }).toEqual({ stdout: 'line\n141\n', stderr: '', left: 0 });
  });

  it('prints one result as JSON, and nothing else', () => {
    const cwd = makeKit({ 'scripts/both.sh': 'echo out; echo err >&2; exit 3' });
    const { code, stdout, stderr } = runIn(cwd, ['run', 'kit', 'scripts/both.sh', '--json', ...options]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      skill: 'kit',
      script: 'scripts/both.sh',
      tier,
      success: false,
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 3,
      error: {
        code: 'ExecutionFailed',
        message: "'scripts/both.sh' of skill 'kit' exited with code 3.",
        data: tier === 'process' ? {} : { hints: [expect.stringContaining('It ran in the tier bubblewrap') as string] },
      },
      durationMs: expect.any(Number) as number,
      executionId: expect.any(String) as string,
    });
  });
});

describe('the exit code of skillwright run', () => {
  it.each<[string, string, readonly string[], number, RegExp]>([
    ['exits with 0', 'exit 0', [], 0, /^$/],
    ['exits with 3', 'exit 3', [], 3, /^error: ExecutionFailed: 'x\.sh' of skill 'kit' exited with code 3\.\n$/],
    ['exits with 255', 'exit 255', [], 255, /exited with code 255/],
    ['is ended by a signal', 'kill -KILL $$', [], 137, /was stopped by SIGKILL/],
    ['takes too long', 'sleep 600', ['--timeout', '200ms'], 124, /^error: ExecutionTimeout: .* within 200 ms/],
  ])('is correct when the script %s', (_what, code, more, exit, message) => {
    const result = runScript('x.sh', code, ...more);
    expect(result).toMatchObject({ code: exit, stderr: expect.stringMatching(message) as string });
  });

  it('is 127 for a missing script and 126 for one out of bounds', () => {
    const cwd = makeKit({ 'scripts/report.sh': 'echo', 'scripts/other.py': '' });
    if (posix) symlinkSync('/etc/hostname', join(cwd, 'skills/kit/link.sh'));
    const run = (script: string): CliResult => runIn(cwd, ['run', 'kit', script, ...named]);
    expect(run('scripts/reprot.sh')).toMatchObject({
      code: 127,
      stderr: expect.stringMatching(
        /^error: ScriptNotFound: Skill 'kit' has no file '\S+' \(looked in skills\/kit\)\.\n {2}Did you mean scripts\/report\.sh\?\n {2}Scripts: scripts\/other\.py, scripts\/report\.sh\.\n$/,
      ) as string,
    });
    expect(run('report.sh').stderr).toContain('Did you mean scripts/report.sh?');
    for (const script of ['../../../etc/passwd', '/etc/passwd', ...(posix ? ['link.sh'] : [])])
      expect(run(script)).toMatchObject({
        code: 126,
        stdout: '',
        stderr: expect.stringMatching(/^error: ScriptNotAllowed: /) as string,
      });
  });

  it('is 127 for a skill that does not exist, with the nearest name', () => {
    expect(spawnCli(['run', 'word-cuont', 'x'])).toMatchObject({
      code: 127,
      stdout: '',
      stderr: expect.stringContaining("Did you mean 'word-count'?") as string,
    });
    const { code, stdout } = spawnCli(['run', 'nope', 'x', '--json']);
    expect({ code, error: (JSON.parse(stdout) as { error: { code: string } }).error.code }).toEqual({
      code: 127,
      error: 'SkillNotFound',
    });
  });

  it('is 127 when a requirement of the skill is missing, and says how to grant it', () => {
    const cwd = makeKit({ 'x.sh': 'echo "$KIT_MODE"' }, { requires: '{ env: [KIT_MODE] }' });
    const args = ['run', 'kit', 'x.sh', ...named];
    expect(runIn(cwd, args)).toMatchObject({
      code: 127,
      stderr:
        "error: RequirementsMissing: Skill 'kit' needs the environment variable KIT_MODE (not set).\n  --env KIT_MODE=value sets it.\n",
    });
    expect(runIn(cwd, args, { KIT_MODE: 'slow' }).stderr).toBe(
      "error: RequirementsMissing: Skill 'kit' needs the environment variable KIT_MODE (set here, but not passed on).\n  --env KIT_MODE passes its value on.\n",
    );
    expect(runIn(cwd, [...args, '--env', 'KIT_MODE=fast'])).toMatchObject({ code: 0, stdout: 'fast\n' });
  });

  it('is 126 for a skill that is turned off', () => {
    const cwd = makeKit({ 'x.sh': 'echo' }, { mode: 'off' });
    expect(runIn(cwd, ['run', 'kit', 'x.sh', ...named])).toMatchObject({
      code: 126,
      stderr: expect.stringContaining('error: Disabled: ') as string,
    });
  });

  it.each([
    [['run'], "'npx skillwright run' needs <skill>."],
    [['run', 'kit'], "'npx skillwright run' needs <script>."],
    [['run', 'kit', 'x', '--flag'], 'Arguments for the script that start with a dash go after --.'],
    [['run', 'kit', 'x', '--sandbox', 'bublewrap'], 'Did you mean bubblewrap?'],
    [['run', 'kit', 'x', '--workspace', 'all'], "Invalid value 'all' for option --workspace."],
    [['run', 'kit', 'x', '--timeout', 'soon'], "Option --timeout needs a time above 0, not 'soon'."],
    [['run', 'kit', 'x', '--timeout', '0'], "Option --timeout needs a time above 0, not '0'."],
    [['run', 'kit', 'x', '--timeout=-5'], "Option --timeout needs a time above 0, not '-5'."],
    [['run', 'kit', 'x', '--timeout', '999999h'], 'At most 596h.'],
    [['run', 'kit', 'x', '--env', 'NO_SUCH_THING'], 'The variable NO_SUCH_THING is not set here'],
    [['run', 'kit', 'x', '--env', '=secret-value'], 'Option --env needs the name of a variable'],
    [['run', 'kit', 'x', '--env', 'TWO WORDS=1'], 'Option --env needs the name of a variable'],
  ])('is 2 for %j', async (args, message) => {
    const { code, stdout, stderr } = await runHere(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret-value');
  });
});

describe('the environment of a script', () => {
  const script = 'console.log(JSON.stringify(process.env));';
  const outside = { KIT_API_KEY: 'sk-123456789', MODE: 'fast', NODE_OPTIONS: '--no-warnings', LANG: 'C.UTF-8' };

  it('has only basic and granted variables, and secrets are redacted in output', () => {
    const cwd = makeKit({ 'env.mjs': script });
    const args = ['run', 'kit', 'env.mjs', ...named];
    const plain = JSON.parse(runIn(cwd, args, outside).stdout) as Record<string, string>;
    expect(plain).toMatchObject({ LANG: 'C.UTF-8', SKILL_NAME: 'kit' });
    for (const name of ['KIT_API_KEY', 'MODE', 'NODE_OPTIONS', 'XDG_CACHE_HOME'])
      expect(plain).not.toHaveProperty(name);
    const granted = runIn(cwd, [...args, '--env', 'KIT_API_KEY', '--env', 'MODE=slow=er', '--env', 'EMPTY='], outside);
    expect(JSON.parse(granted.stdout)).toMatchObject({
      KIT_API_KEY: '[redacted:KIT_API_KEY]',
      MODE: 'slow=er',
      EMPTY: '',
    });
  });

  it('cannot be extended for an untrusted skill that does not declare the variable', () => {
    const cwd = makeKit({ 'env.mjs': script }, { requires: '{ env: [MODE] }' });
    expect(runIn(cwd, ['run', 'kit', 'env.mjs', '--env', 'MODE=1', '--env', 'KIT_API_KEY=2'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: Skill 'kit' is not trusted and does not declare KIT_API_KEY/) as string,
    });
    if (!hasBubblewrap) return;
    const { stdout } = runIn(cwd, ['run', 'kit', 'env.mjs', '--env', 'MODE=1']);
    expect(JSON.parse(stdout)).toMatchObject({ MODE: '1' });
  });
});

describe('the tier of skillwright run', () => {
  it('is never weaker or stronger than requested', () => {
    const cwd = makeKit({ 'x.sh': 'echo ran' });
    expect(runIn(cwd, ['run', 'kit', 'x.sh', '--sandbox', 'process'])).toMatchObject({
      code: 126,
      stdout: '',
      stderr: expect.stringContaining("Skill 'kit' is not trusted and needs the tier bubblewrap") as string,
    });
    expect(runIn(cwd, ['run', 'kit', 'x.sh', ...named, '--sandbox', 'inprocess'])).toMatchObject({
      code: 126,
      stdout: '',
      stderr: expect.stringContaining('only runs tools written in JavaScript') as string,
    });
    for (const tier of ['remote']) {
      const { code, stdout, stderr } = runIn(cwd, ['run', 'kit', 'x.sh', ...named, '--sandbox', tier]);
      expect({ code, stdout }).toEqual({ code: 127, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^error: RequirementsMissing: The tier ${tier} \\(--sandbox ${tier}\\)`));
      expect(stderr).not.toMatch(/host|--env|gateway/);
    }
  });

  it('is refused if it is missing, with what to do', () => {
    const cwd = makeKit({ 'x.mjs': 'console.log("ran")' });
    const result = runIn(cwd, ['run', 'kit', 'x.mjs'], { PATH: dirname(process.execPath) });
    expect(result).toMatchObject({ code: 127, stdout: '' });
    expect(result.stderr).toMatch(
      /^error: RequirementsMissing: Skill 'kit' is not trusted and needs bubblewrap, which is not available here: .*\n {2}Install bubblewrap.*\n/,
    );
    expect(result.stderr).toContain('Or read the skill, and if you trust it: npx skillwright trust skills/kit\n');
  });

  it('is weaker for a trusted skill', () => {
    const cwd = makeKit({ 'x.mjs': 'console.log("ran")' });
    const env = { SKILLWRIGHT_TRUST_FILE: join(cwd, 'config/trust.json') };
    expect(runIn(cwd, ['trust', 'skills/kit', '--yes'], env).code).toBe(0);
    const { stdout } = runIn(cwd, ['run', 'kit', 'x.mjs', '--json'], env);
    expect(JSON.parse(stdout)).toMatchObject({ tier: 'process', stdout: 'ran\n' });
  });

  it.skipIf(!hasBubblewrap)('decides what the script sees of this directory', () => {
    const look = 'ls; cat notes.txt; echo more > notes.txt && echo written';
    const cwd = makeKit({ 'look.sh': look });
    writeFileSync(join(cwd, 'notes.txt'), 'mine\n');
    chmodSync(join(cwd, 'notes.txt'), 0o666);
    const run = (...more: string[]): CliResult => runIn(cwd, ['run', 'kit', 'look.sh', ...more]);
    expect(run().stdout).not.toContain('mine');
    const reading = run('--workspace', 'read');
    expect(reading.stdout).toContain('mine\n');
    expect(reading.stdout).not.toContain('written');
    expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('mine\n');
    expect(run('--workspace', 'write').stdout).toContain('written\n');
    expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('more\n');
  });
});

describe('a failing run', () => {
  it('has the same shape of error in JSON, whether it was refused or failed', () => {
    const cwd = makeKit({ 'x.sh': 'exit 1' });
    const errorOf = (...args: string[]): unknown => {
      const { stdout, stderr } = runIn(cwd, ['run', ...args, ...named, '--json']);
      expect(stderr).toBe('');
      return (JSON.parse(stdout) as { error: unknown }).error;
    };
    const runs: readonly (readonly [string[], string])[] = [
      [['nope', 'x.sh'], 'SkillNotFound'],
      [['kit', 'y.sh'], 'ScriptNotFound'],
      [['kit', '/etc/passwd'], 'ScriptNotAllowed'],
      [['kit', 'x.sh', '--sandbox', 'remote'], 'RequirementsMissing'],
      [['kit', 'x.sh', '--sandbox', 'inprocess'], 'Usage'],
      [['kit', 'x.sh'], 'ExecutionFailed'],
    ];
    for (const [args, code] of runs)
      expect(errorOf(...args)).toEqual({
        code,
        message: expect.any(String) as string,
        data: expect.any(Object) as object,
      });
    expect(errorOf('kit', 'y.sh')).toMatchObject({ data: { hints: ['Did you mean x.sh?', 'Scripts: x.sh.'] } });
  });

  it('keeps paths as they were given and as the script wrote them', () => {
    const cwd = makeKit({ 'x.sh': 'echo; exit 1' });
    const { stderr } = runIn(cwd, ['run', 'kit', join(cwd, 'skills/kit/x.sh'), ...named]);
    expect(stderr).toContain(`Path '${cwd}/skills/kit/x.sh' is not allowed`);
  });

  it("explains that a file of this directory is not in the skill's directory", () => {
    const cwd = makeKit({ 'x.sh': 'cat "$1"' });
    writeFileSync(join(cwd, 'notes.txt'), 'text');
    const hint =
      'notes.txt is in this directory, but the script ran in the directory of its skill. --workspace read runs it here.\n';
    expect(runIn(cwd, ['run', 'kit', 'x.sh', 'notes.txt', ...named]).stderr).toContain(hint);
    expect(runIn(cwd, ['run', 'kit', 'x.sh', 'gone.txt', ...named]).stderr).not.toContain('--workspace');
    expect(runIn(cwd, ['run', 'kit', 'x.sh', 'notes.txt', '--workspace', 'read', ...named]).code).toBe(0);
  });

  it.skipIf(!hasBubblewrap)('explains what the script could not access in its sandbox', () => {
    const cwd = makeKit({ 'x.sh': 'exit 1' });
    const hintsOf = (...args: string[]): string => runIn(cwd, ['run', 'kit', 'x.sh', ...args]).stderr;
    expect(hintsOf()).toContain(
      'It ran in the tier bubblewrap, where it sees none of your files (--workspace read shows this directory), and cannot use the network (--allow-net allows it).\n',
    );
    expect(hintsOf('--workspace', 'read', '--allow-net')).toContain(
      'only this directory, read-only (--workspace write makes it writable).\n',
    );
    expect(hintsOf('--workspace', 'write').includes('it runs as nobody')).toBe(process.getuid?.() === 0);
    expect(hintsOf(...named)).not.toContain('bubblewrap');
  });

  it('does not suggest passing variables when something else is missing', () => {
    const cwd = makeKit({ 'notes.lua': 'print(1)' }, { requires: '{ env: [KIT_MODE] }' });
    const { code, stderr } = runIn(cwd, ['run', 'kit', 'notes.lua', ...named, '--env', 'KIT_MODE=1']);
    expect(code).toBe(127);
    expect(stderr).not.toContain('--env');
  });
});

describe('other behavior of skillwright run', () => {
  it('shows all output unchanged, however much there is', () => {
    const cwd = makeKit({
      'flood.mjs': 'process.stdout.write(Buffer.alloc(30e6, 0xff)); process.stderr.write("end\\n");',
    });
    const line = `$CLI run kit flood.mjs --dir skills | tr -d -c '\\377' | wc -c; exit "$\{PIPESTATUS[0]}"`;
    const { code, stdout, stderr } = spawnBash(line, { cwd, env: environment(cwd) });
    expect({ code, bytes: Number(stdout), stderr }).toEqual({ code: 0, bytes: 30_000_000, stderr: 'end\n' });
  });

  it('begins its message on a new line', () => {
    expect(runScript('x.sh', 'printf half >&2; exit 1').stderr).toMatch(/^half\nerror: ExecutionFailed: /);
  });

  it('streams input, however much there is', () => {
    const cwd = makeKit({ 'x.sh': 'wc -c' });
    const line = 'head -c 30000000 /dev/zero | $CLI run kit x.sh --dir skills';
    expect(spawnBash(line, { cwd, env: environment(cwd) })).toMatchObject({ code: 0, stdout: '30000000\n' });
  });

  it('starts at once while standard input stays open, and does not wait for its end', async () => {
    const cwd = makeKit({ 'x.sh': 'read -r line; echo "got $line"' });
    const cli = startCli(['run', 'kit', 'x.sh', ...named], { cwd, openInput: true });
    cli.writeInput('early\n');
    expect(await cli.ended).toBe(0);
    expect(cli.stdout()).toBe('got early\n');
  });

  it('records the run', () => {
    const cwd = makeKit({ 'x.sh': 'echo hello' });
    expect(runIn(cwd, ['run', 'kit', 'x.sh', ...named, '--record', 'log/runs.jsonl', '--', '-a']).code).toBe(0);
    const lines = readFileSync(join(cwd, 'log/runs.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { type: 'execution-begin', skill: 'kit', target: 'x.sh', args: ['-a'], caller: 'user', trust: 'trusted' },
      { type: 'execution-end', success: true, stdout: 'hello\n', tier: 'process' },
    ]);
  });

  it('runs nothing that cannot be recorded', () => {
    const cwd = makeKit({ 'x.sh': 'echo ran' });
    const { code, stdout, stderr } = runIn(cwd, ['run', 'kit', 'x.sh', ...named, '--record', 'skills']);
    expect({ code, stdout }).toEqual({ code: 126, stdout: '' });
    expect(stderr).toContain('could not be recorded');
  });

  it('explains that a script without output is the handler of a tool', () => {
    const handler = 'export const handler = () => 1;\n';
    const tools = [{ name: 'probe', description: 'Probes.', script: 'scripts/probe.mjs' }];
    const files = { 'tools.json': JSON.stringify(tools), 'scripts/probe.mjs': handler, 'scripts/quiet.mjs': '' };
    const cwd = makeKit(files);
    const { code, stdout, stderr } = runIn(cwd, ['run', 'kit', './scripts/probe.mjs', ...named]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(
      "The script printed nothing, because ./scripts/probe.mjs is the handler of the tool 'probe' of skill 'kit'.",
    );
    expect(stderr).toContain('npx skillwright call probe');
    expect(runIn(cwd, ['run', 'kit', 'scripts/quiet.mjs', ...named]).stderr).toBe('');
  });

  it.each([
    ['word-count', 'scripts/count.mjs', ['SKILL.md'], /^lines +words/],
    ['csv-stats', 'scripts/csv_stats.py', ['{"csv": "a,b\\n1,2\\n"}'], /"rows"/],
    ['calendar-calculator', 'scripts/today.sh', ['--utc'], /^date: \d{4}-\d\d-\d\d\n/],
  ])('runs the sample %s', (skill, script, args, output) => {
    const { code, stdout, stderr } = spawnCli(['run', '--dir', 'skills', skill, script, '--', ...args], {
      env: { PATH: environment(repository).PATH ?? '' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(output);
  });
});

import { spawn, spawnSync, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMPILE_CACHE } from '../../../compile-cache.ts';
import { makeDirectory, repository } from '../cli-runner.ts';

const main = join(repository, 'packages/skillwright/src/cli.ts');
const fromSources = join(repository, 'test/package/resolve-source.ts');
/** As if the gateway were not installed. */
const withoutGateway = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve: (name, context, next) => next(name === '@skillwright/gateway' ? 'not-installed' : name, context) });
`)}`;

interface Serving {
  readonly child: ChildProcess;
  /** The announced addresses and token. */
  readonly announced: {
    url: string;
    adminToken: string | null;
    appKey: string | null;
    configFile: string | null;
    data: string;
    warnings: string[];
  };
  readonly log: () => string;
}

async function start(cwd: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Serving> {
  const command = ['--import', fromSources, main, 'serve', '--json', '--port', '0', ...args];
  return follow(spawn(process.execPath, command, { cwd, env: environment(env) }));
}

function environment(env: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...COMPILE_CACHE, ...env };
}

/** Waits for the announcement. */
async function follow(child: ChildProcessWithoutNullStreams): Promise<Serving> {
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
  const died = once(child, 'close').then(() => Promise.reject(new Error(`It ended: ${stdout}${stderr}`)));
  const isWhole = async (): Promise<void> => {
    while (!stdout.trimEnd().endsWith('}')) await once(child.stdout, 'data');
  };
  await Promise.race([isWhole(), died]);
  died.catch(() => {});
  return { child, announced: JSON.parse(stdout) as Serving['announced'], log: () => stderr };
}

/** What users see of a start, which is then ended. */
async function startForPeople(
  cwd: string,
  args: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const child = spawn(process.execPath, ['--import', fromSources, main, 'serve', '--port', '0', ...args], {
    cwd,
    env: environment(),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
  const closed = once(child, 'close');
  while (!stdout.includes('Ctrl-C'))
    await Promise.race([once(child.stdout, 'data'), closed.then(() => expect.unreachable())]);
  child.kill('SIGTERM');
  await closed;
  return stdout;
}

/** Runs the program to its end, which should come soon. */
function fail(
  cwd: string,
  args: readonly string[],
  hooks = fromSources,
): { status: number | null; answer: unknown; stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', hooks, main, 'serve', '--json', ...args],
    {
      cwd,
      encoding: 'utf8',
      env: environment(),
      timeout: 20_000,
    },
  );
  return { status, answer: JSON.parse(stdout), stderr };
}

describe('skillwright serve', () => {
  it('shows the first token at the first successful start', async () => {
    const cwd = makeDirectory({});
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    expect(fail(cwd, ['--port', String(port)]).answer).toMatchObject({ error: { code: 'ListenFailed' } });
    expect((await start(cwd)).announced.adminToken).toMatch(/^sk-sw-/);
  });

  it.skipIf(process.platform === 'win32')('ends with the shell through which npm started it', async () => {
    const cwd = makeDirectory({});
    // Not the last command of the shell, which would replace the shell.
    const line = `"$0" "$@"; exit $?`;
    const command = [process.execPath, '--import', fromSources, main, 'serve', '--json', '--port', '0'];
    const env = environment({ npm_lifecycle_event: 'start' });
    const shell = spawn('/bin/sh', ['-c', line, ...command], { cwd, env });
    const { announced } = await follow(shell);
    shell.kill('SIGKILL');
    const isThere = (): Promise<boolean> =>
      fetch(announced.url + '/health').then(
        () => true,
        () => false,
      );
    await expect.poll(isThere, { timeout: 10_000 }).toBe(false);
  });

  it('serves, prints a token once, logs to standard error, and exits cleanly on a signal', async () => {
    const cwd = makeDirectory({ 'skillwright.config.json': JSON.stringify({ data: 'kept', logLevel: 'info' }) });
    const args = ['--config', 'skillwright.config.json'];
    const first = await start(cwd, args);
    const { url, adminToken, configFile, data } = first.announced;
    expect({ configFile, data }).toEqual({ configFile: join(cwd, 'skillwright.config.json'), data: join(cwd, 'kept') });
    expect(adminToken).toMatch(/^sk-sw-/);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
    const manage = { headers: { authorization: `Bearer ${adminToken}`, via: 'proxy' } };
    expect((await fetch(`${url}/metrics`, manage)).status).toBe(200);
    first.child.kill('SIGTERM');
    expect(await once(first.child, 'close')).toEqual([0, null]);
    expect(first.log()).toContain('"msg":"listening"');
    expect(first.log()).not.toContain(adminToken);

    const second = await start(cwd, args);
    expect(second.announced.adminToken).toBeNull();
    expect((await fetch(`${second.announced.url}/metrics`, manage)).status).toBe(200);
    second.child.kill('SIGINT');
    expect(await once(second.child, 'close')).toEqual([0, null]);
  });

  it('says at a later start how to make a key, with its own address', async () => {
    const cwd = makeDirectory({});
    expect(await startForPeople(cwd)).toContain('Two keys were created.');
    const again = await startForPeople(cwd);
    const [, url = ''] = /listens on (\S+)/.exec(again) ?? [];
    expect(again).toContain(
      `export SKILLWRIGHT_URL=${url} SKILLWRIGHT_TOKEN=<admin key>\n  npx skillwright keys create`,
    );
  });

  it('refuses a data directory that another gateway uses', async () => {
    const cwd = makeDirectory({});
    const { child } = await start(cwd);
    const { status, answer } = fail(cwd, ['--port', '0']);
    expect(status).toBe(1);
    expect(answer).toMatchObject({ error: { code: 'StoreInUse', data: { pid: child.pid } } });
  });

  it('starts with the files that a killed gateway left', async () => {
    const cwd = makeDirectory({});
    const { child } = await start(cwd);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect((await start(cwd)).announced.adminToken).toBeNull();
  });

  it('listens on other addresses only if there are keys', async () => {
    const cwd = makeDirectory({});
    expect(fail(cwd, ['--host', '0.0.0.0', '--port', '0']).answer).toMatchObject({ error: { code: 'KeysRequired' } });
    const env = { SKILLWRIGHT_ADMIN_TOKEN: `sk-sw-${'a1'.repeat(16)}` };
    const { announced } = await start(cwd, ['--host', '0.0.0.0'], env);
    expect(announced).toMatchObject({
      adminToken: null,
      url: expect.stringMatching(/^http:\/\/0\.0\.0\.0:\d+$/) as string,
    });
  });

  it.each([
    ['an invalid port', ['--port', 'many'], 'InvalidConfiguration'],
    ['a missing file', ['--config', 'gone.json'], 'ConfigurationUnreadable'],
  ])('reports an error for %s', (_what, args, code) => {
    expect(fail(makeDirectory({}), args)).toMatchObject({ status: 1, answer: { error: { code } } });
  });

  it('warns about settings that will not work, and refuses a missing directory from the command line', async () => {
    const cwd = makeDirectory({});
    const { announced } = await start(cwd, [], { SKILLWRIGHT_SKILLS: 'gone', SKILLWRIGHT_SANDBOX_MIM: 'container' });
    expect(announced.warnings).toEqual([
      expect.stringContaining(`There is no directory ${join(cwd, 'gone')}`),
      expect.stringContaining('Did you mean SKILLWRIGHT_SANDBOX_MIN?'),
    ]);
    const refused = fail(cwd, ['--dir', 'nope']);
    expect(refused).toMatchObject({ status: 2, answer: { error: { code: 'Usage' } } });
    expect(JSON.stringify(refused.answer)).toContain('--dir names nope, which does not exist.');
  });

  it('suggests commands to users, and only ones that work', async () => {
    const skill = '---\nname: word-count\ndescription: Counts the words of a text.\n---\n';
    const cwd = makeDirectory({ 'skills/word-count/SKILL.md': skill });
    const shown = await startForPeople(cwd);
    expect(shown).toMatch(/export SKILLWRIGHT_URL=http:\S+ SKILLWRIGHT_TOKEN=sk-sw-\S+/);
    expect(shown).toContain('1 in skills, untrusted. To trust them: npx skillwright trust skills');
    expect(shown).toMatch(/http:\/\/127\.0\.0\.1:\d+\/docs/);
    expect(shown).toContain('/v1/chat/completions');
    const again = await startForPeople(cwd, ['--data', 'other', '--config', 'empty.json'], {
      'empty.json': '{"skills":["gone"]}',
    });
    expect(again).toContain('! There is no directory gone, so no skills come from it.');
    expect(again).not.toContain('curl');
  });

  it("suggests a user's own skill if the sample skill is missing", async () => {
    const skill = '---\nname: roll-dice\ndescription: Rolls dice.\n---\nRoll them.\n';
    const hidden = '---\nname: hidden\ndescription: Never shown.\nmode: off\n---\nText.\n';
    const cwd = makeDirectory({ 'skills/hidden/SKILL.md': hidden, 'skills/roll-dice/SKILL.md': skill });
    expect(await startForPeople(cwd)).toMatch(
      /curl -s http:\S+\/v1\/chat\/completions -H 'authorization: Bearer sk-sw-.*"content":"Use the skill roll-dice\."/,
    );
    const hiddenAlone = makeDirectory({ 'skills/hidden/SKILL.md': hidden });
    expect(await startForPeople(hiddenAlone)).not.toContain('curl');
  });

  it('reports that its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { answer, stderr } = fail(makeDirectory({}), ['--port', String(port)]);
    expect(answer).toMatchObject({
      error: { code: 'ListenFailed', data: { port }, message: expect.stringContaining('--port') as string },
    });
    expect(stderr).not.toContain('"level":"error"');
  });

  it('says how to install the gateway if it is missing', () => {
    const { status, answer } = fail(makeDirectory({}), [], withoutGateway);
    expect(status).toBe(1);
    expect(answer).toMatchObject({
      error: { code: 'GatewayMissing', data: { hints: ['npm install @skillwright/gateway'] } },
    });
  });

  it.skipIf(!existsSync('/dev/full'))('keeps serving, and exits cleanly, while its log cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const args = ['--import', fromSources, main, 'serve', '--json', '--port', '0', '--config', 'mine.json'];
    const child = spawn(process.execPath, args, {
      cwd: makeDirectory({ 'mine.json': JSON.stringify({ logLevel: 'info' }) }),
      env: environment(),
      stdio: ['ignore', 'pipe', full],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    for await (const text of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
      stdout += String(text);
      if (stdout.trimEnd().endsWith('}')) break;
    }
    const { url } = JSON.parse(stdout) as Serving['announced'];
    for (let request = 0; request < 300; request += 1) expect((await fetch(`${url}/health`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

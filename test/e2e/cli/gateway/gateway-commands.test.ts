import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installReverseText, REVERSE_TEXT, startRest } from '../../../gateway/rest/rest-gateway.ts';
import { answerJson, startUpstream } from '../../../gateway/upstream-server.ts';
import { makeDataDirectory } from '../../../gateway/store/data-directory.ts';
import { makeDirectory, repository, runHere, type CliResult } from '../cli-runner.ts';
import { openTerminal as open } from './gateway-terminal.ts';

describe('skillwright skills', () => {
  it('lists, shows, changes and removes the skills of a gateway', async () => {
    const { run, json } = await open();
    const listed = await run('skills', 'list', '--query', 'word-count');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^SKILL +MODE +POLICY +KIND +KEY +DESCRIPTION\nword-count@1\.0\.0 +auto /);
    expect(listed.stdout).toMatch(/\n1 skill\n$/);
    const shown = await run('skills', 'show', 'word-count');
    expect(shown.stdout).toMatch(/^word-count@1\.0\.0\n/);
    expect(shown.stdout).toContain('count_words');
    expect(shown.stdout).toMatch(/\n *Adds +\d+ bytes to a request that it fits\n/);
    expect((await run('skills', 'disable', 'word-count')).stdout).toContain('word-count@1.0.0: mode off');
    expect((await run('skills', 'enable', 'word-count@1.0.0')).stdout).toBe(
      '✓ word-count@1.0.0: mode on\n  Models see it in every request. To show it only when it fits their task:\n  npx skillwright skills set word-count@1.0.0 mode=auto\n',
    );
    expect((await run('skills', 'set', 'word-count', 'mode=auto')).stdout).toBe('✓ word-count@1.0.0: mode auto\n');
    expect((await run('skills', 'enable', 'word-count')).stdout).toBe(
      '✓ word-count@1.0.0: mode auto\n  Models see it when it fits their task.\n',
    );
    const own = await json('skills', 'show', 'word-count');
    expect(
      (await run('skills', 'set', 'word-count', 'mode=auto', 'policy=hybrid', 'tags=a, b', 'timeoutMs=500')).stdout,
    ).toBe('✓ word-count@1.0.0: mode auto; policy hybrid; tags a, b; timeoutMs 500\n');
    const details: { id: string } = await json('skills', 'show', 'word-count');
    expect(details).toMatchObject({ mode: 'auto', policy: 'hybrid', tags: ['a', 'b'], timeoutMs: 500, retries: null });
    await json('skills', 'set', details.id, 'timeoutMs=default');
    expect(await json('skills', 'show', details.id)).toMatchObject({ timeoutMs: null });
    const defaults = ['mode=default', 'policy=default', 'tags=default', 'retries=default'];
    expect((await run('skills', 'set', 'word-count', ...defaults)).stdout).toContain('; retries default\n');
    const { tags, policy } = own as { tags: string[]; policy: string };
    expect(tags).not.toEqual(['a', 'b']);
    expect(await json('skills', 'show', 'word-count')).toMatchObject({ mode: 'auto', tags, policy });
    const removed = await run('skills', 'remove', details.id);
    expect(removed.stdout).toContain('word-count@1.0.0 was removed.\n');
    expect(removed.stdout).toContain('the skill returns when the gateway reads the directory again');
    expect(removed.stdout).toContain('npx skillwright skills disable word-count');
    expect(await run('skills', 'show', 'word-count')).toMatchObject({ code: 1 });
  });

  it('installs from a file and finds skills that fit a text', async () => {
    const { run, json } = await open();
    const directory = makeDirectory({ 'skill.json': JSON.stringify(REVERSE_TEXT) });
    const installed = await run('skills', 'install', 'skill.json', '--cwd', directory);
    expect(installed.stdout).toMatch(
      /Installed as [\w-]+\. The skill is off\. To turn it on:\n {2}npx skillwright skills set [\w-]+ mode=auto\n/,
    );
    expect(await json('skills', 'show', 'reverse-text')).toMatchObject({ mode: 'off', handler: 'echo-handler' });
    expect((await run('skills', 'match', 'how', 'many', 'words')).stdout).toMatch(/\nword-count@1\.0\.0 +\d+ % /);
    expect(await json('skills', 'match', 'how many words', '--limit', '1')).toMatchObject({
      fits: true,
      skills: [{ name: 'word-count' }],
    });
    const again = await run('skills', 'install', JSON.stringify(REVERSE_TEXT));
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('reverse-text@1.0.0') as unknown });
  });

  it('shows matching words of the text, not their stems', async () => {
    const { run } = await open();
    const { stdout } = await run('skills', 'match', 'how many words does this essay have');
    const [, words = ''] = /^word-count@1\.0\.0 +\d+ % +(.*)$/m.exec(stdout) ?? [];
    expect(words.split(', ')).toEqual(expect.arrayContaining(['many', 'words']));
    expect(words).not.toMatch(/\bmani\b|\bessai\b/);
  });

  it('shows a confidence that rounds to zero as less than 1 %', async () => {
    const kit = { id: 'x', name: 'kit', version: '1.0.0', mode: 'auto', confidence: 0.002, reasons: [{ terms: [] }] };
    const { url } = await startUpstream(answerJson({ fits: true, skills: [kit] }));
    const { stdout } = await runHere(['skills', 'match', 'anything', '--url', url]);
    expect(stdout).toMatch(/^kit@1\.0\.0 +<1 %/m);
  });

  it('says which version it removed, and which versions remain', async () => {
    const { rest, run, json } = await open();
    const manager = await rest.client('manage');
    for (const version of ['1.0.0', '1.2.0', '1.10.0']) await installReverseText(manager, { version });
    const { stdout } = await run('skills', 'remove', 'reverse-text');
    expect(stdout).toBe('✓ reverse-text@1.10.0 was removed.\n  reverse-text still has 1.2.0, 1.0.0.\n');
    expect(await json('skills', 'remove', 'reverse-text@1.0.0')).toMatchObject({
      version: '1.0.0',
      comesBack: false,
      versionsLeft: ['1.2.0'],
    });
  });

  it('finds a skill by the start of its id or by an alias, and suggests names for unknown ones', async () => {
    const { rest, run, json } = await open();
    const id = await installReverseText(await rest.client('manage'));
    expect(await json('skills', 'show', id.slice(0, 8))).toMatchObject({ id });
    expect(await json('skills', 'show', `${id.slice(0, 7)}…`)).toMatchObject({ id });
    expect(await json('skills', 'show', 'omniroute_web_search')).toMatchObject({ name: 'web_search' });
    await run('skills', 'enable', 'web_search');
    await run('executions', 'run', 'skillwright_web_search', 'query=otters');
    expect(await json('executions', 'list', '--skill', 'web_search')).toMatchObject({ total: 1 });
    expect((await run('skills', 'show', 'wrod-count')).stderr).toContain("Did you mean 'word-count'?");
    expect((await run('skills', 'show', 'reverse-text@2.0.0')).stderr).toContain('Versions of reverse-text: 1.0.0.');
    const listed: Record<string, unknown> = await json('skills', 'list');
    expect(Object.keys(listed)).toEqual(expect.arrayContaining(['skills', 'total']));
    expect(listed).not.toHaveProperty('data');
    const wide = await runHere(['skills', 'list', '--query', 'reverse-text', '--url', rest.url], {
      env: { SKILLWRIGHT_TOKEN: (await rest.client('manage')).secret, COLUMNS: '140' },
    });
    expect(wide.stdout).toMatch(/^SKILL +MODE +POLICY +KIND +KEY +ID +DESCRIPTION\n/);
    expect(wide.stdout).toContain(id.slice(0, 8));
  });

  it('asks for an id if several keys have a skill of the same name', async () => {
    const { rest, run } = await open();
    const manager = await rest.client('manage');
    await installReverseText(manager);
    const id = await installReverseText(manager, { apiKeyId: manager.keyId });
    const { code, stderr } = await run('skills', 'show', 'reverse-text');
    expect(code).toBe(1);
    expect(stderr).toContain(`${id} is version 1.0.0 of ${manager.keyId}.`);
  });
});

describe('skillwright executions', () => {
  it('runs a skill, and shows its output, result and record', async () => {
    const { rest, run, json } = await open();
    rest.gateway.executor.registerHandler('talks', (input, { onOutput }) => {
      onOutput('stdout', 'working\u001B[2J\n');
      return { sum: Number(input['a']) + Number(input['b']) };
    });
    const number = { type: 'number' };
    const schema = { input: { type: 'object', properties: { a: number, b: number }, required: ['a'] }, output: {} };
    await installReverseText(await rest.client('manage'), { name: 'sum', handlerCode: 'talks', schema });
    const ran = await run('executions', 'run', 'sum', 'a=2', 'b=3');
    expect(ran).toEqual({ code: 0, stdout: '{\n  "sum": 5\n}\n', stderr: 'working\n' });
    const listed: { data: { id: string }[] } = await json('executions', 'list', '--skill', 'sum');
    const id = listed.data[0]?.id ?? '';
    expect(await json('executions', 'show', id)).toMatchObject({ status: 'success', output: { sum: 5 } });
    expect((await run('executions', 'show', id)).stdout).toMatch(/^sum@1\.0\.0\n[^]*Output\n {2}\{\n/);
    expect((await run('executions', 'show', id)).stdout).toMatch(/^ *Key +\S.* \([0-9a-f]{8}-[0-9a-f-]{27}\)$/m);
    expect((await run('executions', 'list')).stdout).toMatch(/success +\d+ m?s +sum@1\.0\.0/);
    expect((await run('executions', 'watch', id)).stdout).toBe('{\n  "sum": 5\n}\n');
    expect(await run('executions', 'cancel', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has already ended') as unknown,
    });
    expect((await run('logs')).stdout).toMatch(/^[\d-]{10} [\d:]{8} {2}success {2}sum@1\.0\.0 {2}\d+ m?s {2}[\w-]+\n$/);
    expect(JSON.parse((await run('logs', '--json', '--status', 'success')).stdout)).toMatchObject({ id });
  });

  it('runs a tool of a package, and fails if the tool fails', async () => {
    const { run } = await open();
    const tool = ['executions', 'run', 'word-count', 'tool=count_words'];
    const { code, stdout } = await run(...tool, 'arguments={"text": "to be or not"}');
    expect({ code, answer: JSON.parse(stdout) as unknown }).toMatchObject({ code: 0, answer: { words: 4 } });
    const failed = await run(...tool, 'arguments={}');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("'text' is missing");
    const [, id = ''] = /executions show (\S+)/.exec(failed.stderr) ?? [];
    expect((await run('executions', 'show', id)).stdout).toMatch(/Error +InvalidArguments: (?!InvalidArguments)/);
    expect(await run('executions', 'run', 'word-count', 'tool')).toMatchObject({ code: 2 });
    const direct = await run('executions', 'run', 'word-count', 'text=to be');
    expect(direct.stderr).toContain('npx skillwright executions run word-count tool=<tool>');
  });
});

describe('an abbreviated id', () => {
  it("is enough if only one execution's id starts with it", async () => {
    const { rest, run, json } = await open();
    await installReverseText(await rest.client('manage'));
    const ids: string[] = [];
    for (let count = 0; count < 17; count += 1) {
      const ran: { id: string } = await json('executions', 'run', 'reverse-text', 'text=abc');
      ids.push(ran.id);
    }
    const [id = ''] = ids;
    const listed = await run('executions', 'list');
    expect(listed.stdout).toContain(`\n${id.slice(0, 8)}  `);
    expect(await json('executions', 'show', id.slice(0, 13))).toMatchObject({ id });
    expect((await run('executions', 'watch', id.slice(0, 13))).code).toBe(0);
    expect((await run('executions', 'cancel', id.slice(0, 13))).stderr).toContain(
      `The execution ${id} has already ended.`,
    );
    // There are 17 ids and 16 possible first characters, so at least two ids share theirs.
    const twice = ids.map(([first = '']) => first).find((first, place, all) => all.indexOf(first) !== place) ?? '';
    const { code, stderr } = await run('executions', 'show', twice);
    expect(code).toBe(1);
    expect(stderr).toContain('executions. Give more characters of the id.');
    expect(ids.filter((one) => one.startsWith(twice)).every((one) => stderr.includes(`${one}: reverse-text`))).toBe(
      true,
    );
    expect((await run('executions', 'show', 'zz')).stderr).toContain("There is no execution with the id 'zz'.");
  });

  it('may be the name or the start of the id of a key', async () => {
    const { rest, run, json } = await open();
    await json('keys', 'create', 'app');
    await json('keys', 'create', 'twin');
    const { key }: { key: { id: string } } = await json('keys', 'create', 'twin');
    expect((await run('keys', 'revoke', 'twin')).stderr).toContain(`${key.id}: twin (proxy)`);
    expect((await run('keys', 'revoke', key.id.slice(0, 13))).stdout).toContain(`The key ${key.id} was revoked.`);
    expect((await run('keys', 'revoke', 'twin')).code).toBe(0);
    expect((await run('keys', 'revoke', 'app')).code).toBe(0);
    expect((await run('keys', 'revoke', 'app')).stderr).toContain("There is no key with the id 'app'");
    const owner = await rest.client('execute');
    await installReverseText(await rest.client('manage'), { name: 'mine', apiKeyId: owner.keyId });
    const refused = await run('executions', 'run', 'mine', 'text=abc');
    expect(refused.stderr).toContain(`To run it for that key, add --key ${owner.keyId}.`);
    expect((await run('executions', 'run', 'mine', 'text=abc', '--key', owner.keyId.slice(0, 13))).code).toBe(0);
    expect((await json<{ total: number }>('executions', 'list', '--key', 'execute')).total).toBe(1);
  });
});

describe('skillwright keys', () => {
  it('gives a key its own limits', async () => {
    const { run, json } = await open();
    const limits = ['--requests-per-minute', '60', '--concurrent-requests', '2'];
    expect(await json('keys', 'create', 'app', ...limits)).toMatchObject({
      key: { requestsPerMinute: 60, concurrentRequests: 2 },
    });
    expect((await run('keys', 'create', 'app', '--requests-per-minute', 'many')).stderr).toContain(
      'error: requestsPerMinute must be a',
    );
  });

  it('creates, lists and revokes', async () => {
    const { run, json } = await open();
    const created = await run('keys', 'create', 'my app', '--scopes', 'proxy, execute', '--expires-in-days', '30');
    const [, secret = ''] = /\n {2}(sk-sw-[\w-]{43})\n {2}Save it/.exec(created.stdout) ?? [];
    expect(secret).not.toBe('');
    const listed = await run('keys', 'list');
    expect(listed.stdout).toMatch(/ my app +sk-sw-[\w-]+…? /);
    expect(listed.stdout).not.toContain(secret);
    const { data }: { data: { id: string; name: string }[] } = await json('keys', 'list');
    const id = data.find(({ name }) => name === 'my app')?.id ?? '';
    expect((await run('keys', 'revoke', id)).stdout).toContain('revoked');
    expect(await run('keys', 'revoke', id)).toMatchObject({ code: 1 });
  });
});

describe('a gateway that is absent, refuses a request or is something else', () => {
  it.each([
    [['skills'], "'npx skillwright skills' needs an action."],
    [['skills'], '\n  npx skillwright skills list\n  npx skillwright skills show <skill>\n'],
    [['skills'], '\n  npx skillwright skills set <skill> <name=value…>\n'],
    [
      ['keys'],
      '\n  npx skillwright keys list\n  npx skillwright keys create <name>\n  npx skillwright keys revoke <key>\n',
    ],
    [['executions'], '\n  npx skillwright executions run <skill> [input…]\n'],
    [['approvals'], '\n  npx skillwright approvals allow <id>\n'],
    [['skills', 'lst'], "error: Unknown action 'lst'.\n"],
    [['skills', 'lst'], 'Actions of npx skillwright skills: list, show, '],
    [['skills', 'lst'], "Did you mean 'npx skillwright skills list'?"],
    [['skills', 'show'], "'npx skillwright skills show' needs <skill>."],
    [['keys', 'list', 'x'], "Unexpected argument 'x'.\n  Usage: npx skillwright keys list"],
    [['skills', 'list', '--url', 'ftp://x'], '--url needs an address such as http://127.0.0.1:4747'],
    [['skills', 'list', '--url', 'http://x', '--data', 'y'], '--data and --url cannot be used together.'],
    [['skills', 'list', '--config', 'x'], '--config can only be used with --data.'],
    [['keys', 'create', 'x', '--expires-in-days', 'soon', '--url', 'http://x'], 'needs a number of days'],
  ])('gets no invalid request: %j', async (args, message) => {
    const { code, stderr } = await runHere(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('gets no request for a setting without a value: the command lists the settings', async () => {
    const rest = await open();
    await installReverseText(await rest.rest.client('manage'));
    const errorOf = async (...args: string[]): Promise<string> => (await rest.run(...args)).stderr;
    expect(await errorOf('skills', 'set', 'reverse-text', 'mode')).toContain("error: Setting 'mode' needs a value.\n");
    expect(await errorOf('skills', 'set', 'reverse-text', 'mod=on')).toContain(
      "error: Unknown setting 'mod' of a skill.\n",
    );
    expect(await errorOf('settings', 'skillsEnabled')).toContain("error: Setting 'skillsEnabled' needs a value.\n");
    expect(await errorOf('settings', 'skillEnabled=true')).toContain(
      "error: Unknown setting 'skillEnabled'.\n  Did you mean 'skillsEnabled'?\n",
    );
  });

  it('gets no request with invalid values from the environment', async () => {
    const { code, stderr } = await runHere(['skills', 'list'], { env: { SKILLWRIGHT_URL: 'ftp://x' } });
    expect(code).toBe(2);
    expect(stderr).toContain("SKILLWRIGHT_URL needs an address such as http://127.0.0.1:4747, not 'ftp://x'.");
  });

  it('is reported with what to do', async () => {
    const { rest } = await open();
    const nobody = await runHere(['skills', 'list', '--url', rest.url]);
    expect(nobody.stderr).toContain('Set SKILLWRIGHT_TOKEN to a key of the gateway');
    expect(nobody.stderr).toContain(
      'If it is lost, stop the gateway and create another: npx skillwright keys create admin',
    );
    const wrong = await runHere(['skills', 'list', '--url', rest.url, '--token', `sk-sw-${'x'.repeat(43)}`]);
    expect(wrong.stderr).toContain('The token comes from --token or SKILLWRIGHT_TOKEN.');
    const proxy = await rest.client('proxy');
    const refused = await runHere(['skills', 'list', '--json'], {
      env: { SKILLWRIGHT_TOKEN: proxy.secret, SKILLWRIGHT_URL: rest.url },
    });
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: { code: 'GatewayRefused', data: { code: 'ScopeMissing', status: 403 } },
    });
    await rest.close();
    const gone = await runHere(['skills', 'list', '--url', rest.url], { env: { SKILLWRIGHT_URL: 'http://[::1]:1' } });
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain(`No gateway responds at ${rest.url} (`);
    expect(gone.stderr).toContain("'npx skillwright serve' starts one");
  });

  it('is reported as not a gateway if another server answers', async () => {
    const server = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { code, stderr } = await runHere(['keys', 'list', '--url', `http://127.0.0.1:${port}`]);
    server.close();
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a Skillwright gateway') as unknown,
    });
  });
});

describe('a data directory', () => {
  const main = join(repository, 'packages/skillwright/src/cli.ts');
  const fromSources = join(repository, 'test/package/resolve-source.ts');
  const spawn = (data: string, ...args: readonly string[]): CliResult => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', fromSources, main, ...args, '--data', data],
      { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' }, timeout: 60_000, cwd: makeDirectory({}) },
    );
    return { code: status, stdout, stderr };
  };

  // A whole gateway starts in another process, which takes a while on a busy machine.
  const timeout = 120_000;

  it('is managed without a key while no gateway runs on it', { timeout }, async () => {
    const data = makeDataDirectory();
    const rest = await startRest({ data });
    await installReverseText(await rest.client('manage'));
    await rest.close();
    expect(spawn(data, 'executions', 'run', 'reverse-text', 'text=abc')).toMatchObject({ code: 0, stderr: '' });
  });

  it('is managed without the keys of the upstreams', { timeout }, async () => {
    const data = makeDataDirectory();
    await (await startRest({ data })).close();
    const upstreams = [
      { id: 'one', format: 'openai-chat', baseUrl: 'https://one.example/v1', apiKeyEnv: 'NOT_SET_HERE' },
    ];
    const directory = makeDirectory({ 'gateway.json': JSON.stringify({ upstreams }) });
    const listed = spawn(data, 'skills', 'list', '--config', join(directory, 'gateway.json'));
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    const created = spawn(data, 'keys', 'create', 'admin', '--scopes', 'manage,execute,proxy');
    expect(created.stdout).toMatch(/\n {2}sk-sw-/);
  });

  it('is not opened while a gateway uses it', { timeout }, async () => {
    const data = makeDataDirectory();
    await startRest({ data });
    const { code, stderr } = spawn(data, 'keys', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('and only one process can use it at a time.');
    expect(stderr).toContain('Use --url with its address');
  });

  it('is not created at a mistyped path', { timeout }, () => {
    const data = join(makeDirectory({}), 'nowhere');
    const { code, stderr } = spawn(data, 'skills', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('is not a data directory of a gateway');
    expect(existsSync(data)).toBe(false);
  });
});

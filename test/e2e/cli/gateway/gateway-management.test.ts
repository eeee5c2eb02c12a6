import { describe, expect, it } from 'vitest';
import { openTerminal, type Terminal } from './gateway-terminal.ts';

/** A question that a model asks through a skill with the policy `hybrid`. */
async function ask({ rest }: Terminal, text: string): Promise<string> {
  const asked = await rest.gateway.approvals.ask({
    skillName: 'reverse-text',
    version: '1.0.0',
    digest: null,
    target: 'echo-handler',
    apiKeyId: null,
    sessionId: null,
    input: { text },
  });
  return asked.allowed ? '' : asked.approval.id;
}

describe('skillwright approvals', () => {
  it('shows pending requests of models, and answers them', async () => {
    const terminal = await openTerminal();
    const { run, json } = terminal;
    expect((await run('approvals', 'list')).stdout).toBe('0 approvals\n');
    const [first, second, third] = [await ask(terminal, 'a'), await ask(terminal, 'b'), await ask(terminal, 'c')];
    const listed = await run('approvals', 'list', '--status', 'pending');
    expect(listed.stdout).toMatch(/^ID +TIME \(UTC\) +STATUS +SKILL +INPUT\n/);
    expect(listed.stdout).toContain(`${first.slice(0, 8)}  `);
    expect(listed.stdout).toContain('pending  reverse-text: echo-handler  {"text":"a"}');
    expect(listed.stdout).toMatch(/\n3 approvals\n$/);
    const shown = await run('approvals', 'show', first.slice(0, 13));
    expect(shown.stdout).toMatch(/^reverse-text@1\.0\.0: echo-handler\n[^]*Input\n {2}\{\n {4}"text": "a"/);
    expect((await run('approvals', 'allow', first.slice(0, 13))).stdout).toBe(
      '✓ reverse-text: echo-handler is allowed, for this one call.\n',
    );
    expect(await ask(terminal, 'a')).toBe('');
    expect((await run('approvals', 'show', first)).stdout).toMatch(/Status +allowed once, used\n/);
    expect(await json('approvals', 'deny', second)).toMatchObject({ status: 'denied', scope: 'once' });
    expect(await json('approvals', 'allow', third, '--scope', 'always')).toMatchObject({ scope: 'always' });
    expect(await ask(terminal, 'd')).toBe('');
    expect(await json('approvals', 'withdraw', third)).toMatchObject({ success: true });
    expect(await ask(terminal, 'd')).not.toBe('');
    expect(await run('approvals', 'allow', second)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is already denied') as unknown,
    });
    expect(await run('approvals', 'allow', second, '--scope', 'forever')).toMatchObject({ code: 2 });
    expect((await json<{ total: number }>('approvals', 'list', '--limit', '1')).total).toBe(3);
  });
});

describe('skillwright settings', () => {
  it('shows and changes settings', async () => {
    const { rest, run, json } = await openTerminal();
    expect((await run('settings')).stdout).toMatch(/^SETTING +VALUE\nskillsEnabled +true\n/);
    const changed = await run('settings', 'skillsEnabled=false', 'traceContent=true');
    expect(changed.stdout).toMatch(/\nskillsEnabled +false\n[^]*\ntraceContent +true\n/);
    expect(rest.gateway.store.settings.current).toMatchObject({ skillsEnabled: false, traceContent: true });
    expect(await json('settings', 'skillsEnabled=true')).toEqual({
      skillsEnabled: true,
      customSkillExecutionEnabled: true,
      traceContent: true,
    });
    expect(await run('settings', 'skillEnabled=true')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean 'skillsEnabled'?") as unknown,
    });
    expect(await run('settings', 'skillsEnabled=perhaps')).toMatchObject({
      code: 1,
      stderr: 'error: skillsEnabled must be true or false.\n',
    });
  });
});

describe('skillwright audit', () => {
  it('shows who changed what', async () => {
    const { run, json } = await openTerminal();
    await run('skills', 'set', 'word-count', 'mode=on', 'tags=a');
    await run('keys', 'create', 'app');
    const { stdout } = await run('audit');
    expect(stdout).toMatch(/^TIME \(UTC\) +ACTION +KEY +TARGET +CHANGE\n/);
    expect(stdout).toMatch(/ key\.create +[0-9a-f]{8} +[0-9a-f]{8} +app\n/);
    expect(stdout).toMatch(/ skill\.update +[0-9a-f]{8} +[0-9a-f]{8} +mode: auto → on; tags: \[/);
    expect(stdout).toMatch(/\n2 changes\n$/);
    const answer = await json<{ data: { targetId: string }[] }>('audit', '--action', 'key.create', '--limit', '1');
    expect(answer).toMatchObject({ total: 1 });
    expect(await json('audit', '--target', answer.data[0]?.targetId ?? '')).toMatchObject({ total: 1 });
    expect(await json('audit', '--key', 'app')).toMatchObject({ total: 0 });
  });
});

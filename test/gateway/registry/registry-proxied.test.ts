import { describe, expect, it } from 'vitest';
import type { Gateway } from '../../../packages/gateway/src/app.ts';
import type { NewSkill, RegisteredSkill } from '../../../packages/gateway/src/registry/registered-skill.ts';
import type { ToolDefinition } from '../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../../packages/skillwright/src/testing/index.ts';
import { proves } from '../../proves.ts';
import { createLoopClient, KINDS, type Answer } from '../proxy/loop/loop-client.ts';
import { SAMPLE_SKILLS, startLoop, type Loop } from '../proxy/loop/loop-gateway.ts';
import { callWith, installReverseText, startRest } from '../rest/rest-gateway.ts';

const SCHEMA = {
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: { type: 'object', properties: { reversed: { type: 'string' } } },
};
const DONE: ScriptedTurn = { text: 'Done.' };

function calling(name: string, args: Record<string, unknown> = { text: 'abc' }): ScriptedTurn {
  return { calls: [{ name, arguments: args }] };
}

function install(gateway: Gateway, changes: Partial<NewSkill> = {}): Promise<RegisteredSkill> {
  return gateway.registry.register({
    name: 'reverse-text',
    version: '1.0.0',
    description: 'Reverses a string',
    kind: 'handler',
    handler: 'echo-handler',
    schema: SCHEMA,
    mode: 'on',
    ...changes,
  });
}

function ask(url: string, headers: Record<string, string> = {}, text: string = 'Begin.'): Promise<Answer> {
  return createLoopClient({ url, format: 'openai-chat', stream: false, headers }).say(text);
}

function toolsOf({ model }: Loop, request: number = 0): readonly string[] {
  return model.requests[request]?.conversation?.tools.map(({ name }) => name) ?? [];
}

async function startWith(script: readonly ScriptedTurn[], skills: readonly string[] = []): Promise<Loop> {
  return startLoop({ model: { script: [...script] }, config: { skills } });
}

async function keyOf(gateway: Gateway): Promise<{ id: string; headers: Record<string, string> }> {
  const { key, secret } = await gateway.keys.create({ name: 'client', scopes: ['proxy'] });
  return { id: key.id, headers: { authorization: `Bearer ${secret}` } };
}

describe('a registered handler', () => {
  it('is offered as a tool in proxied requests, and its calls are executions', async () => {
    proves('S4.intercept.execute');
    const loop = await startWith([calling('reverse-text'), DONE]);
    const { id: apiKeyId, headers } = await keyOf(loop.gateway);
    const skill = await install(loop.gateway, { apiKeyId, version: '1.2.3' });
    const { turn } = await ask(loop.url, { ...headers, 'x-skillwright-session': 'session-1' });
    expect(turn.text).toBe('Done.');
    expect(toolsOf(loop)).toEqual(['reverse-text']);
    expect(loop.model.requests[1]?.text).toContain('cba');
    const { data } = await loop.gateway.executor.listExecutions({}, { page: 1, limit: 50 });
    expect(data).toMatchObject([
      {
        skillId: skill.id,
        version: '1.2.3',
        apiKeyId,
        sessionId: 'session-1',
        status: 'success',
        input: { text: 'abc' },
      },
    ]);
  });

  it('is hidden from other keys', async () => {
    const loop = await startWith([DONE, DONE]);
    await install(loop.gateway, { apiKeyId: 'somebody-else' });
    const { headers } = await keyOf(loop.gateway);
    const { headers: told } = await ask(loop.url, { ...headers, 'x-skillwright-skills': 'reverse-text' });
    expect(told.get('x-skillwright-skipped')).toContain('there is no skill named reverse-text');
    expect(toolsOf(loop)).toEqual([]);
  });

  it('is offered only when it fits if its mode is auto', async () => {
    const loop = await startWith([DONE, DONE]);
    await install(loop.gateway, { mode: 'auto' });
    await ask(loop.url, {}, 'Please reverse this text for me.');
    await ask(loop.url, {}, 'How is the weather in Bonn?');
    expect([toolsOf(loop, 0), toolsOf(loop, 1)]).toEqual([['reverse-text'], []]);
  });

  it('does not run once it is turned off during a conversation', async () => {
    const loop = await startWith([calling('reverse-text'), DONE, DONE]);
    const { id } = await install(loop.gateway);
    loop.gateway.executor.registerHandler('echo-handler', async () => {
      await loop.gateway.registry.update(id, { mode: 'off' });
      return { reversed: 'x' };
    });
    const client = createLoopClient({ url: loop.url, format: 'openai-chat', stream: false });
    await client.say('Begin.');
    await expect(
      loop.gateway.executor.execute({
        skillName: 'reverse-text',
        apiKeyId: null,
        caller: 'model',
        input: { text: 'a' },
      }),
    ).rejects.toMatchObject({ code: 'SkillNotAllowed' });
    await client.say('Again.');
    expect(toolsOf(loop, 2)).toEqual([]);
  });

  it('can be chosen by a version range in the header, and an invalid range is refused', async () => {
    const loop = await startWith([calling('reverse-text'), DONE, DONE]);
    await install(loop.gateway);
    await install(loop.gateway, { version: '1.4.0', mode: 'auto' });
    await install(loop.gateway, { version: '2.0.0' });
    await ask(loop.url, { 'x-skillwright-skills': 'reverse-text@^1' });
    const { data } = await loop.gateway.executor.listExecutions({}, { page: 1, limit: 50 });
    expect(data).toMatchObject([{ version: '1.4.0' }]);
    const none = await ask(loop.url, { 'x-skillwright-skills': 'reverse-text@^3' });
    expect(none.headers.get('x-skillwright-skipped')).toContain('reverse-text has no version in ^3, only 2.0.0, 1.4.0');
    expect((await ask(loop.url, { 'x-skillwright-skills': 'reverse-text@^^' })).status).toBe(400);
  });

  it('is not offered to models with policy manual, and waits for a person with policy hybrid', async () => {
    const loop = await startWith([calling('careful'), DONE, calling('careful'), DONE]);
    await install(loop.gateway, { name: 'by-hand', policy: 'manual' });
    await install(loop.gateway, { name: 'careful', policy: 'hybrid' });
    await ask(loop.url);
    expect(toolsOf(loop)).toEqual(['careful']);
    expect(loop.model.requests[1]?.text).toContain('ApprovalRequired');
    const { data } = await loop.gateway.approvals.list({ status: 'pending' }, { page: 1, limit: 10 });
    expect(data).toMatchObject([{ skillName: 'careful', input: { text: 'abc' } }]);
    expect(loop.model.requests[1]?.text).toContain(data[0]?.id);
    expect(await loop.gateway.executor.countExecutions({})).toBe(0);
    await loop.gateway.approvals.decide(data[0]?.id ?? '', 'allow', { scope: 'always', by: null });
    await ask(loop.url);
    expect(loop.model.requests[3]?.text).toContain('cba');
  });

  it('replaces a package’s tool of the same name, but never load_skill or use_skill', async () => {
    const loop = await startWith([DONE], SAMPLE_SKILLS);
    const taken = loop.gateway.skills.snapshot.tools.keys().next().value ?? '';
    for (const name of [taken, 'load_skill', 'use_skill']) await install(loop.gateway, { name, version: '9.0.0' });
    await ask(loop.url);
    expect(toolsOf(loop)).toEqual([taken]);
  });

  it('gets another name on the wire if providers would refuse its own', async () => {
    const loop = await startWith([DONE]);
    await install(loop.gateway, { name: 'mein töol: reverse' });
    await ask(loop.url);
    expect(toolsOf(loop)[0]).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
  });
});

describe('skills that are not built-ins', () => {
  async function startBoth(): Promise<Loop> {
    const loop = await startWith([DONE, DONE], SAMPLE_SKILLS);
    await install(loop.gateway);
    const { registry } = loop.gateway;
    await registry.update(registry.current.resolve('http_request', undefined, null)?.id ?? '', { mode: 'on' });
    return loop;
  }
  const TASK = 'Count the words of a text.';

  it('are not offered while the setting turns them off', async () => {
    proves('S4.intercept.customSkillExecutionEnabled');
    const loop = await startBoth();
    await ask(loop.url, {}, TASK);
    await loop.gateway.store.settings.update({ customSkillExecutionEnabled: false });
    await ask(loop.url, {}, TASK);
    expect(toolsOf(loop, 0)).toEqual(expect.arrayContaining(['http_request', 'reverse-text', 'load_skill']));
    expect(toolsOf(loop, 1)).toEqual(['http_request']);
  });

  it('are not offered in a request that turns them off', async () => {
    const loop = await startBoth();
    await ask(loop.url, { 'x-skillwright-custom-skills': 'off' }, TASK);
    expect(toolsOf(loop)).toEqual(['http_request']);
    expect((await ask(loop.url, { 'x-skillwright-custom-skills': 'maybe' })).status).toBe(400);
  });
});

describe('built-ins', () => {
  it('are off until an operator turns them on, and those that touch files or run code always need a key', async () => {
    const loop = await startWith([DONE, DONE]);
    const { registry, executor } = loop.gateway;
    const builtIns = registry.current.all.filter(({ kind }) => kind === 'builtin');
    expect(builtIns.length).toBeGreaterThan(3);
    expect(builtIns.every(({ mode, enabled }) => mode === 'off' && !enabled)).toBe(true);
    for (const { id } of builtIns) await registry.update(id, { mode: 'on', policy: 'auto' });
    await ask(loop.url);
    const { headers } = await keyOf(loop.gateway);
    await ask(loop.url, headers);
    const open = toolsOf(loop, 0);
    const all = toolsOf(loop, 1);
    expect(open).not.toContain('file_read');
    expect(open).not.toContain('execute_command');
    expect(all).toEqual(expect.arrayContaining(['file_read', 'file_write', 'execute_command', ...open]));
    await expect(
      executor.execute({ skillName: 'file_read', apiKeyId: null, caller: 'user', input: { path: 'a' } }),
    ).rejects.toMatchObject({ code: 'SkillNotAllowed' });
  });

  it('can be called by an alias, and their runs are recorded like all others', async () => {
    proves('S4.intercept.aliases');
    const loop = await startWith([DONE]);
    const { registry, executor } = loop.gateway;
    await registry.update(registry.current.resolve('web_search', undefined, null)?.id ?? '', { mode: 'on' });
    const execution = await executor.execute({
      skillName: 'omniroute_web_search',
      apiKeyId: 'key-1',
      caller: 'model',
      input: { query: 'anything' },
    });
    expect(execution).toMatchObject({ skillName: 'web_search' });
    expect(await executor.getExecution(execution.id)).toEqual(execution);
  });

  it.each(KINDS)(
    'run when a model calls them by an alias, in $format, streaming: $stream',
    async ({ format, stream }) => {
      proves('S4.intercept.aliases');
      const search = calling('omniroute_web_search', { query: 'otters' });
      const loop = await startWith([search, DONE, DONE]);
      const { registry, executor } = loop.gateway;
      await registry.update(registry.current.resolve('web_search', undefined, null)?.id ?? '', { mode: 'on' });
      const client = createLoopClient({ url: loop.url, format, stream });
      const { turn } = await client.say('Search for otters.');
      expect(turn).toMatchObject({ text: 'Done.', calls: [] });
      expect(toolsOf(loop)).toEqual(['web_search']);
      const { data } = await executor.listExecutions({}, { page: 1, limit: 10 });
      expect(data).toMatchObject([{ skillName: 'web_search', input: { query: 'otters' } }]);
      expect((await client.say('Thanks.')).turn.text).toBe('Done.');
    },
  );

  it('leave an alias to the app if it has a tool of that name, or if they are not offered', async () => {
    const search = calling('skillwright_web_search', { query: 'otters' });
    const loop = await startWith([search, search]);
    const { registry, executor } = loop.gateway;
    const id = registry.current.resolve('web_search', undefined, null)?.id ?? '';
    await install(loop.gateway);
    expect((await ask(loop.url)).turn.calls).toMatchObject([{ name: 'skillwright_web_search' }]);
    await registry.update(id, { mode: 'on' });
    const own = {
      name: 'skillwright_web_search',
      description: 'Ours.',
      inputSchema: { type: 'object', properties: {} },
    };
    const tools = [own as ToolDefinition];
    const client = createLoopClient({ url: loop.url, format: 'openai-chat', stream: false, tools });
    expect((await client.say('Search.')).turn.calls).toMatchObject([{ name: 'skillwright_web_search' }]);
    expect(await executor.countExecutions({})).toBe(0);
  });

  it('can be requested by an alias in a header, too', async () => {
    const loop = await startWith([DONE]);
    const { registry } = loop.gateway;
    await registry.update(registry.current.resolve('web_search', undefined, null)?.id ?? '', { mode: 'auto' });
    await ask(loop.url, { 'x-skillwright-skills': 'omniroute_web_search' });
    expect(toolsOf(loop)).toEqual(['web_search']);
  });
});

describe('a package in a proxied request', () => {
  const TASK = 'Count the words of a text.';

  it('has the mode of its row', async () => {
    const loop = await startWith([DONE, DONE, DONE], SAMPLE_SKILLS);
    const { registry } = loop.gateway;
    const id = registry.current.resolve('word-count', undefined, null)?.id ?? '';
    await ask(loop.url, {}, TASK);
    await registry.update(id, { mode: 'off' });
    const off = await ask(loop.url, { 'x-skillwright-skills': 'word-count', 'x-skillwright-mode': 'on' }, TASK);
    await registry.update(id, { mode: 'on' });
    const on = await ask(loop.url, {}, 'Hello.');
    expect(loop.model.requests[0]?.text).toContain('word-count');
    expect(off.headers.get('x-skillwright-injected')).toBeNull();
    expect(on.headers.get('x-skillwright-injected')).toContain('word-count');
  });

  it('runs instead of a handler that has its name in a higher version', async () => {
    const count = calling('use_skill', { skill: 'word-count', script: 'scripts/count.mjs', args: ['-'], stdin: 'a b' });
    const loop = await startWith([count, DONE], SAMPLE_SKILLS);
    await install(loop.gateway, { name: 'word-count', version: '9.0.0', mode: 'auto', policy: 'manual' });
    await ask(loop.url, {}, TASK);
    const { data } = await loop.gateway.executor.listExecutions({}, { page: 1, limit: 10 });
    expect(data).toMatchObject([{ skillName: 'word-count', version: '1.0.0', status: 'success' }]);
  });

  it('is recorded as one execution with its registry version, and obeys its registry policy', async () => {
    const count = calling('use_skill', {
      skill: 'word-count',
      script: 'scripts/count.mjs',
      args: ['-'],
      stdin: 'a b c',
    });
    const loop = await startWith([count, DONE, count, DONE, count, DONE], SAMPLE_SKILLS);
    const { registry, executor } = loop.gateway;
    const skill = registry.current.resolve('word-count', undefined, null);
    await ask(loop.url, {}, TASK);
    const page = await executor.listExecutions({}, { page: 1, limit: 10 });
    expect(page.data).toMatchObject([
      { skillId: skill?.id, skillName: 'word-count', version: skill?.version, apiKeyId: null, status: 'success' },
    ]);
    await registry.update(skill?.id ?? '', { policy: 'manual' });
    await ask(loop.url, {}, TASK);
    expect(loop.model.requests[3]?.text).toContain('may only be run by a person');
    await registry.update(skill?.id ?? '', { policy: 'hybrid' });
    await ask(loop.url, {}, TASK);
    expect(loop.model.requests[5]?.text).toContain('ApprovalRequired');
    expect(await executor.countExecutions({})).toBe(1);
  });
});

it('the demo model calls the handler of the documentation in the documented conversation', async () => {
  const { url, client } = await startRest({ skills: SAMPLE_SKILLS });
  await installReverseText(await client('manage'));
  const content = 'Reverse the string "stressed"';
  const body = { model: 'demo', messages: [{ role: 'user', content }] };
  const { headers, body: answer } = await callWith(url, undefined, 'POST', '/v1/chat/completions', body);
  expect(JSON.stringify(answer)).toContain('reversed: desserts');
  expect(headers.get('x-skillwright-injected')).toBe('reverse-text');
  expect(headers.get('x-skillwright-ran')).toBe('reverse-text');
});

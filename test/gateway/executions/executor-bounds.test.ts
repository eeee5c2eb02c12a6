import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway, type Gateway } from '../../../packages/gateway/src/app.ts';
import type { GatewayConfigInput } from '../../../packages/gateway/src/config/config.ts';
import type { ExecutionEvent } from '../../../packages/gateway/src/executions/executor.ts';
import type { NewSkill } from '../../../packages/gateway/src/registry/registered-skill.ts';
import { makeDataDirectory } from '../store/data-directory.ts';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function openGateway(config: GatewayConfigInput = {}): Promise<Gateway> {
  const gateway = await createGateway(
    {
      data: makeDataDirectory(),
      skills: [],
      logLevel: 'silent',
      ...config,
      limits: { shutdownMs: 0, ...config.limits },
    },
    { env: { PATH: process.env['PATH'] } },
  );
  onTestFinished(() => gateway.close());
  return gateway;
}

function row(changes: Partial<NewSkill> = {}): NewSkill {
  return { name: 'one', version: '1.0.0', description: 'x', kind: 'handler', handler: 'echo-handler', ...changes };
}

const OWN = { skillName: 'one', apiKeyId: null, caller: 'user' } as const;
const PAGE = { page: 1, limit: 200 };

/** A skill that waits until it is released or canceled. */
async function registerWaiting({ executor, registry }: Gateway): Promise<{ letGo(): void; calls(): number }> {
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  executor.registerHandler('waits', async (_input, { signal }) => {
    calls += 1;
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([gate.promise, aborted]);
    return {};
  });
  await registry.register(row({ name: 'waits', handler: 'waits' }));
  return { letGo: () => gate.resolve(), calls: () => calls };
}

describe('large inputs', () => {
  it('are refused before anything is written', async () => {
    const { executor, registry } = await openGateway();
    await registry.register(row());
    const refused = executor.execute({ ...OWN, input: { a: 'x'.repeat(4_194_304) } });
    await expect(refused).rejects.toMatchObject({ code: 'InputTooLarge', status: 413 });
    expect(await executor.countExecutions({})).toBe(0);
    const fits = await executor.execute({ ...OWN, input: { a: 'x'.repeat(4_000_000) } });
    expect(fits.status).toBe('success');
  });

  it('are returned in full for a single row but shortened in lists, and so are outputs', async () => {
    const { executor, registry } = await openGateway();
    await registry.register(row());
    const long = { a: 'é'.repeat(3_000) };
    const { id } = await executor.execute({ ...OWN, input: long });
    await executor.execute({ ...OWN, input: { a: 1 } });
    const [short, listed] = (await executor.listExecutions({}, PAGE)).data;
    expect(short).toMatchObject({ input: { a: 1 }, output: { a: 1 }, shortened: [] });
    expect(listed).toMatchObject({
      id,
      status: 'success',
      input: { omitted: true, bytes: 6_008 },
      output: { omitted: true, bytes: 6_008 },
      shortened: ['input', 'output'],
    });
    expect(await executor.getExecution(id)).toMatchObject({ input: long, output: long });
  });

  it('are freed once the execution has ended, but can still be read', async () => {
    const { executor, registry } = await openGateway();
    await registry.register(row());
    const ids: string[] = [];
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 12; index += 1) {
      const input = { a: Array.from({ length: 150_000 }, () => ({})), b: `${index}${'x'.repeat(3_000_000)}` };
      ids.push((await executor.execute({ ...OWN, input })).id);
    }
    const events: ExecutionEvent[] = [];
    for await (const event of executor.watch(ids[0] ?? '', AbortSignal.timeout(10_000))) events.push(event);
    expect(events).toMatchObject([{ type: 'status', execution: { status: 'success' } }]);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
  });

  it('are refused if they contain invalid numbers', async () => {
    const { executor, registry } = await openGateway();
    await registry.register(row());
    const input = JSON.parse('{"a":[{"b":1e999}],"c":null}') as unknown;
    await expect(executor.execute({ ...OWN, input })).rejects.toMatchObject({ code: 'InvalidInput' });
    expect((await executor.execute({ ...OWN, input: { c: null } })).status).toBe('success');
  });
});

it('replaces lone surrogates in a handler’s output', async () => {
  const { executor, registry } = await openGateway();
  executor.registerHandler('halves', () => ({ 'k\ud800': 'a\udc00b', kept: '\\ud800 \u{1f600}' }));
  await registry.register(row({ handler: 'halves' }));
  const { output } = await executor.execute(OWN);
  expect(output).toEqual({ 'k\ufffd': 'a\ufffdb', kept: '\\ud800 \u{1f600}' });
});

describe('concurrent executions', () => {
  it('are limited for each key, however they were started, until they end', async () => {
    const gateway = await openGateway();
    const { executor, keys } = gateway;
    const waiting = await registerWaiting(gateway);
    const { key } = await keys.create({ name: 'k', scopes: ['execute'], concurrentRequests: 2 });
    const mine = { ...OWN, skillName: 'waits', apiKeyId: key.id };
    const first = await executor.start(mine);
    await executor.start(mine);
    await expect(executor.start(mine)).rejects.toMatchObject({
      code: 'TooManyExecutions',
      status: 429,
      data: { concurrentRequests: 2, retryAfterSeconds: 1 },
    });
    await expect(executor.execute(mine)).rejects.toMatchObject({ code: 'TooManyExecutions' });
    const other = await keys.create({ name: 'other', scopes: ['execute'] });
    await executor.start({ ...mine, apiKeyId: other.key.id });
    await executor.cancel(first.id);
    await executor.start(mine);
    waiting.letGo();
    await expect.poll(() => executor.countExecutions({ status: 'running' })).toBe(0);
    await executor.start(mine);
  });

  it('are limited overall: calls by models wait, and requests by people are refused', async () => {
    const gateway = await openGateway({ limits: { concurrentExecutions: 2 } });
    const { executor } = gateway;
    const waiting = await registerWaiting(gateway);
    const mine = { ...OWN, skillName: 'waits' };
    await executor.start(mine);
    await executor.start(mine);
    await expect(executor.start(mine)).rejects.toMatchObject({ code: 'TooManyExecutions', data: { most: 2 } });
    const gone = new AbortController();
    const leaves = executor.execute({ ...mine, caller: 'model', signal: gone.signal });
    const waits = executor.execute({ ...mine, caller: 'model' });
    await sleep(50);
    expect(waiting.calls()).toBe(2);
    gone.abort();
    await expect(leaves).rejects.toMatchObject({ code: 'TooManyExecutions' });
    waiting.letGo();
    expect((await waits).status).toBe('success');
  });
});

describe('a skill that is turned off while its call waits', () => {
  const pendingId = async ({ approvals }: Gateway): Promise<string> =>
    (await approvals.list({ status: 'pending' }, { page: 1, limit: 1 })).data[0]?.id ?? '';

  it.each<[string, string, (gateway: Gateway, skillId: string, keyId: string) => Promise<unknown>]>([
    ['changing its mode', 'SkillNotAllowed', ({ registry }, id) => registry.update(id, { mode: 'off' })],
    ['changing its policy', 'SkillNotAllowed', ({ registry }, id) => registry.update(id, { policy: 'manual' })],
    ['removing its row', 'UnknownSkill', ({ registry }, id) => registry.unregisterById(id)],
    ['the master switch', 'SkillsDisabled', ({ store }) => store.settings.update({ skillsEnabled: false })],
    ['revoking the key', 'SkillNotAllowed', ({ keys }, _id, keyId) => keys.revoke(keyId)],
    [
      'registering another skill under its name',
      'SkillNotAllowed',
      async ({ registry }, id) => {
        await registry.unregisterById(id);
        await registry.register(row({ policy: 'hybrid', handler: 'counts', description: 'another' }));
      },
    ],
  ])('does not run even if a person allows it, after %s', async (_what, code, turnOff) => {
    const gateway = await openGateway({ limits: { approvalWaitMs: 60_000 } });
    const { executor, registry, approvals, keys } = gateway;
    let calls = 0;
    executor.registerHandler('counts', () => (calls += 1));
    const skill = await registry.register(row({ policy: 'hybrid', handler: 'counts' }));
    const { key } = await keys.create({ name: 'k', scopes: ['proxy'] });
    const running = executor.execute({ ...OWN, apiKeyId: key.id, caller: 'model' }).catch((error: unknown) => error);
    await expect.poll(() => pendingId(gateway)).not.toBe('');
    await turnOff(gateway, skill.id, key.id);
    await approvals.decide(await pendingId(gateway), 'allow', { scope: 'once', by: null });
    expect(await running).toMatchObject({ code });
    expect(calls).toBe(0);
  });

  it('is not retried after a failed attempt', async () => {
    const { executor, registry } = await openGateway();
    let calls = 0;
    executor.registerHandler(
      'fails',
      () => {
        calls += 1;
        throw new Error('no');
      },
      { idempotent: true },
    );
    const skill = await registry.register(row({ handler: 'fails', retries: 5 }));
    const running = executor.execute(OWN);
    await expect.poll(() => calls).toBe(1);
    await registry.update(skill.id, { mode: 'off' });
    expect(await running).toMatchObject({ status: 'error', errorCode: 'SkillNotAllowed' });
    expect(calls).toBe(1);
  });
});

it.each(['revoked', 'expired'])('ends the executions of a key that is %s', async (how) => {
  const gateway = await openGateway();
  const { executor, keys } = gateway;
  await registerWaiting(gateway);
  const expiring = how === 'expired' ? { expiresAt: Date.now() + 500 } : {};
  const { key } = await keys.create({ name: 'k', scopes: ['execute'], ...expiring });
  const other = await keys.create({ name: 'other', scopes: ['execute'] });
  const mine = await executor.start({ ...OWN, skillName: 'waits', apiKeyId: key.id });
  const theirs = await executor.start({ ...OWN, skillName: 'waits', apiKeyId: other.key.id });
  if (how === 'revoked') await keys.revoke(key.id);
  await expect.poll(async () => (await executor.getExecution(mine.id))?.status, { timeout: 5_000 }).toBe('cancelled');
  expect(await executor.getExecution(theirs.id)).toMatchObject({ status: 'running' });
  await expect(executor.start({ ...OWN, skillName: 'waits', apiKeyId: key.id })).rejects.toMatchObject({
    code: 'SkillNotAllowed',
  });
});

it('refuses to run a package’s handler as a script, however its path is spelled', async () => {
  const directory = makeDataDirectory();
  const skill = join(directory, 'adder');
  mkdirSync(join(skill, 'scripts'), { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: adder\ndescription: Adds.\n---\nAdd.\n');
  const tool = { name: 'add', description: 'Adds.', script: './scripts/add.js', parameters: {} };
  writeFileSync(join(skill, 'tools.json'), JSON.stringify([tool]));
  writeFileSync(join(skill, 'scripts/add.js'), 'export default () => ({});\n');
  writeFileSync(join(skill, 'scripts/say.sh'), 'echo said\n');
  const { executor } = await openGateway({ skills: [directory] });
  for (const script of ['scripts/add.js', './scripts/add.js', 'scripts//add.js', 'scripts/../scripts/./add.js'])
    await expect(executor.execute({ ...OWN, skillName: 'adder', input: { script } })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
  const said = await executor.execute({ ...OWN, skillName: 'adder', input: { script: './scripts//say.sh' } });
  expect(said).toMatchObject({ status: 'success', input: { script: 'scripts/say.sh' } });
});

it('accepts a version range after an alias of a built-in', async () => {
  const { executor, registry } = await openGateway();
  const search = registry.current.resolve('web_search', undefined, null);
  await registry.update(search?.id ?? '', { mode: 'off' });
  for (const skillName of ['omniroute_web_search', 'omniroute_web_search@^1'])
    await expect(executor.execute({ ...OWN, skillName, input: { query: 'x' } })).rejects.toMatchObject({
      code: 'SkillNotAllowed',
    });
});

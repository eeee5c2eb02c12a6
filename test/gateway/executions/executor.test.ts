import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway, type Gateway } from '../../../packages/gateway/src/app.ts';
import type { GatewayConfigInput } from '../../../packages/gateway/src/config/config.ts';
import type { ExecutionEvent, ExecutionRequest } from '../../../packages/gateway/src/executions/executor.ts';
import { proves } from '../../proves.ts';
import { makeDataDirectory } from '../store/data-directory.ts';
import { handlerRow } from '../registry/handler-row.ts';

const TEXT_SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

async function openGateway(config: GatewayConfigInput = {}): Promise<Gateway> {
  const gateway = await createGateway(
    { data: makeDataDirectory(), skills: [], logLevel: 'silent', ...config },
    { env: { PATH: process.env['PATH'] } },
  );
  onTestFinished(() => gateway.close());
  return gateway;
}

function neverSettles(): void {}

/** Programs can throw any value. */
function throwNothing(): never {
  throw undefined as unknown as Error;
}

function request(changes: Partial<ExecutionRequest> = {}): ExecutionRequest {
  return { skillName: 'reverse-text', apiKeyId: 'key-1', caller: 'user', ...changes };
}

describe('a handler', () => {
  it('gets its input and its caller, and its return value is the output', async () => {
    proves(
      'S4.tests.vitest',
      'S4.install.registerHandler',
      'S4.dev.handler-signature',
      'S4.lifecycle.final-row',
      'S4.intercept.execute',
    );
    const { executor, registry } = await openGateway();
    const calls: unknown[] = [];
    executor.registerHandler('my-handler', async (input, { apiKeyId, sessionId }) => {
      calls.push({ input, apiKeyId, sessionId });
      return { answer: 42 };
    });
    expect(executor.hasHandler('my-handler')).toBe(true);
    const skill = await registry.register(handlerRow({ handler: 'my-handler', version: '1.2.0' }));
    const execution = await executor.execute(
      request({ skillName: 'reverse-text@^1', input: { text: 'abc' }, sessionId: 'session-1' }),
    );
    expect(calls).toEqual([{ input: { text: 'abc' }, apiKeyId: 'key-1', sessionId: 'session-1' }]);
    expect(execution).toMatchObject({
      skillId: skill.id,
      skillName: 'reverse-text',
      version: '1.2.0',
      status: 'success',
      input: { text: 'abc' },
      output: { answer: 42 },
      errorMessage: null,
      apiKeyId: 'key-1',
      sessionId: 'session-1',
    });
    expect(execution.durationMs).toEqual(expect.any(Number));
    expect(await executor.getExecution(execution.id)).toEqual(execution);
  });

  it('named echo-handler always exists', async () => {
    const { executor, registry } = await openGateway();
    await registry.register(
      handlerRow({ schema: { input: TEXT_SCHEMA, output: { properties: { reversed: { type: 'string' } } } } }),
    );
    const { output } = await executor.execute(request({ input: { text: 'abc' } }));
    expect(output).toEqual({ text: 'abc', reversed: 'cba' });
  });

  it('starts only after its row is written as pending', async () => {
    proves('S4.lifecycle.pending-row');
    const { executor, registry, store } = await openGateway();
    const seen: unknown[] = [];
    const add = store.executions.add.bind(store.executions);
    Object.assign(store.executions, {
      add: async (execution: Parameters<typeof add>[0]) => {
        await add(execution);
        seen.push((await store.executions.get(execution.id))?.status);
      },
    });
    executor.registerHandler('looks', async (_input, { executionId }) => {
      seen.push((await store.executions.get(executionId))?.status);
      return {};
    });
    await registry.register(handlerRow({ handler: 'looks' }));
    await executor.execute(request());
    expect(seen).toEqual(['pending', 'running']);
  });

  it('ends its execution with an error if it throws', async () => {
    const { executor, registry, store } = await openGateway();
    executor.registerHandler('throws', () => {
      throw new RangeError('No such text.');
    });
    await registry.register(handlerRow({ handler: 'throws' }));
    const execution = await executor.execute(request());
    expect(execution).toMatchObject({ status: 'error', errorMessage: 'No such text.', errorCode: 'ExecutionFailed' });
    expect(execution.durationMs).toEqual(expect.any(Number));
    expect(await store.executions.listAttempts(execution.id)).toHaveLength(1);
  });

  it.each([
    ['a function', () => () => 1],
    [
      'an object that contains itself',
      () => {
        const circle: Record<string, unknown> = {};
        circle['self'] = circle;
        return circle;
      },
    ],
    ['a BigInt', () => 10n],
    ['a value that is far too large', () => 'x'.repeat(5_000_000)],
    ['an object that throws when it is read', () => ({ toJSON: throwNothing })],
  ])('ends its execution with an error if it returns %s', async (_what, answer) => {
    const { executor, registry } = await openGateway();
    executor.registerHandler('odd', answer);
    await registry.register(handlerRow({ handler: 'odd' }));
    const execution = await executor.execute(request());
    expect(execution).toMatchObject({
      status: 'error',
      output: null,
      errorMessage: expect.stringMatching(/./) as string,
    });
    expect(await executor.getExecution(execution.id)).toEqual(execution);
  });

  it('has its input and its output validated', async () => {
    const { executor, registry } = await openGateway();
    executor.registerHandler('wrong', () => ({ reversed: 5 }));
    const output = { type: 'object', properties: { reversed: { type: 'string' } } };
    await registry.register(handlerRow({ handler: 'wrong', schema: { input: TEXT_SCHEMA, output } }));
    for (const input of [{}, { text: 5 }, [], 'text', null])
      await expect(executor.execute(request({ input }))).rejects.toMatchObject({ code: 'InvalidInput', status: 400 });
    expect(await executor.countExecutions({})).toBe(0);
    expect(await executor.execute(request({ input: { text: 'a' } }))).toMatchObject({
      status: 'error',
      errorCode: 'InvalidResult',
      errorMessage: expect.stringContaining("'reversed' must be string") as string,
    });
  });

  it('is stopped by its signal when it exceeds its timeout', async () => {
    proves('S4.exec.timeout');
    const { executor, registry } = await openGateway();
    const aborted = Promise.withResolvers<void>();
    executor.registerHandler('slow', (_input, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise<never>(neverSettles);
    });
    await registry.register(handlerRow({ handler: 'slow' }));
    executor.setTimeout(20);
    const execution = await executor.execute(request());
    expect(execution).toMatchObject({ status: 'timeout', errorCode: 'ExecutionTimeout' });
    await aborted.promise;
    expect(await executor.getExecution(execution.id)).toMatchObject({ status: 'timeout' });
    expect(() => executor.setTimeout(0)).toThrow(/timeout/);
    await registry.update(registry.current.all.find(({ name }) => name === 'reverse-text')?.id ?? '', {
      timeoutMs: 10,
    });
    executor.setTimeout(3_600_000);
    expect(await executor.execute(request())).toMatchObject({
      status: 'timeout',
      errorMessage: expect.stringContaining('10 ms') as string,
    });
  });

  it('is retried after a failure only if it is idempotent, and each attempt is recorded', async () => {
    const { executor, registry, store } = await openGateway();
    let calls = 0;
    const failTwice = (): unknown => {
      calls += 1;
      if (calls <= 2) throw new TypeError(`failure ${calls}`);
      return { calls };
    };
    executor.registerHandler('once', failTwice);
    executor.registerHandler('again', failTwice, { idempotent: true });
    await registry.register(handlerRow({ name: 'once', handler: 'once', retries: 3 }));
    await registry.register(handlerRow({ name: 'again', handler: 'again' }));
    expect(await executor.execute(request({ skillName: 'once' }))).toMatchObject({ status: 'error' });
    expect(calls).toBe(1);
    calls = 0;
    const execution = await executor.execute(request({ skillName: 'again' }));
    expect(execution).toMatchObject({ status: 'success', output: { calls: 3 } });
    expect(await store.executions.listAttempts(execution.id)).toMatchObject([
      { attempt: 1, status: 'error', errorMessage: 'failure 1' },
      { attempt: 2, status: 'error', errorMessage: 'failure 2' },
      { attempt: 3, status: 'success' },
    ]);
    calls = 0;
    executor.setMaxRetries(1);
    expect(await executor.execute(request({ skillName: 'again' }))).toMatchObject({ errorMessage: 'failure 2' });
    expect(await executor.countExecutions({})).toBe(3);
  });

  it('can be canceled while it runs and while it waits for a retry', async () => {
    const { executor, registry } = await openGateway();
    executor.registerHandler('endless', () => new Promise<never>(neverSettles));
    executor.registerHandler('failing', () => Promise.reject(new Error('no')), { idempotent: true });
    await registry.register(handlerRow({ name: 'endless', handler: 'endless' }));
    await registry.register(handlerRow({ name: 'failing', handler: 'failing', retries: 10 }));
    for (const skillName of ['endless', 'failing']) {
      const { id } = await executor.start(request({ skillName }));
      expect(await executor.cancel(id)).toBe(true);
      expect(await executor.getExecution(id)).toMatchObject({ status: 'cancelled', errorCode: 'Cancelled' });
      expect(await executor.cancel(id)).toBe(false);
    }
    const gone = new AbortController();
    const running = executor.execute(request({ skillName: 'endless', signal: gone.signal }));
    gone.abort();
    expect(await running).toMatchObject({ status: 'cancelled' });
    expect(await executor.cancel('nobody')).toBe(false);
  });

  it('can be followed live from the beginning, and after its end', async () => {
    const { executor, registry } = await openGateway();
    const go = Promise.withResolvers<void>();
    executor.registerHandler('talks', async (_input, { onOutput }) => {
      onOutput('stdout', 'one ');
      await go.promise;
      onOutput('stderr', 'two');
      return {};
    });
    await registry.register(handlerRow({ handler: 'talks' }));
    const { id } = await executor.start(request());
    const told: string[] = [];
    const signal = new AbortController().signal;
    for await (const event of executor.watch(id, signal)) {
      told.push(wordsOf(event));
      if (event.type === 'output' && event.text === 'one ') go.resolve();
    }
    expect(told).toEqual(['pending', 'running', 'stdout: one ', 'stderr: two', 'success']);
    const later: string[] = [];
    for await (const event of executor.watch(id, signal)) later.push(wordsOf(event));
    expect(later).toEqual(told.slice(2));
    for await (const event of executor.watch('nobody', signal)) expect.unreachable(wordsOf(event));
  });

  it('is canceled at shutdown, and its row has an end', async () => {
    const data = makeDataDirectory();
    const { executor, registry, close } = await openGateway({ data, limits: { shutdownMs: 0 } });
    executor.registerHandler('endless', () => new Promise<never>(neverSettles));
    await registry.register(handlerRow({ handler: 'endless' }));
    const { id } = await executor.start(request());
    await close();
    const again = await openGateway({ data });
    expect(await again.executor.getExecution(id)).toMatchObject({ status: 'cancelled' });
  });
});

function wordsOf(event: ExecutionEvent): string {
  return event.type === 'status' ? event.execution.status : `${event.stream}: ${event.text}`;
}

describe('the executor', () => {
  it('runs nothing while the master switch is off, but the registry still works', async () => {
    proves('S4.ops.master-switch');
    const { executor, registry, store } = await openGateway();
    await registry.register(handlerRow());
    await store.settings.update({ skillsEnabled: false });
    await expect(executor.execute(request())).rejects.toMatchObject({
      code: 'SkillsDisabled',
      status: 503,
      message: expect.stringMatching(/^Skills execution is disabled/) as string,
    });
    expect(await registry.register(handlerRow({ version: '2.0.0' }))).toMatchObject({ version: '2.0.0' });
    expect(await executor.countExecutions({})).toBe(0);
  });

  it('refuses skills that are off, missing, or owned by another key', async () => {
    const { executor, registry } = await openGateway();
    const { id } = await registry.register(handlerRow({ apiKeyId: 'key-1' }));
    await expect(executor.execute(request({ apiKeyId: 'key-2' }))).rejects.toMatchObject({ code: 'UnknownSkill' });
    await expect(executor.execute(request({ apiKeyId: null }))).rejects.toMatchObject({ code: 'UnknownSkill' });
    await expect(executor.execute(request({ version: '^2' }))).rejects.toMatchObject({
      code: 'UnknownSkill',
      status: 404,
    });
    await expect(executor.execute(request({ version: '^^' }))).rejects.toMatchObject({ code: 'InvalidRange' });
    await registry.update(id, { mode: 'off' });
    await expect(executor.execute(request())).rejects.toMatchObject({ code: 'SkillNotAllowed', status: 403 });
  });

  it('runs the highest version that is not off', async () => {
    const { executor, registry } = await openGateway();
    await registry.register(handlerRow());
    await registry.register(handlerRow({ version: '1.1.0' }));
    const newest = await registry.register(handlerRow({ version: '2.0.0' }));
    await registry.update(newest.id, { enabled: false });
    expect(await executor.execute(request())).toMatchObject({ version: '1.1.0' });
    await expect(executor.execute(request({ version: '2.0.0' }))).rejects.toMatchObject({ code: 'SkillNotAllowed' });
  });

  it('refuses rows whose handler is not registered, even if its name is code or a built-in', async () => {
    proves('S4.install.handler-name');
    const { executor, registry } = await openGateway();
    const code = 'globalThis.hacked = true; module.exports = () => 1';
    await registry.register(handlerRow({ handler: code }));
    await expect(executor.execute(request())).rejects.toMatchObject({ code: 'SkillNotAllowed' });
    expect(globalThis).not.toHaveProperty('hacked');
    await registry.register(handlerRow({ name: 'sly', handler: 'execute_command' }));
    await expect(executor.execute(request({ skillName: 'sly' }))).rejects.toMatchObject({ code: 'SkillNotAllowed' });
    expect(executor.hasHandler('execute_command')).toBe(false);
  });

  it('applies a skill’s policy to calls by models but not by people', async () => {
    const { executor, registry, approvals } = await openGateway();
    const { id } = await registry.register(handlerRow({ policy: 'manual' }));
    const model = request({ caller: 'model', input: { text: 'a' } });
    await expect(executor.execute(model)).rejects.toMatchObject({ code: 'SkillNotAllowed' });
    expect(await executor.execute(request({ input: { text: 'a' } }))).toMatchObject({ status: 'success' });
    await registry.update(id, { policy: 'hybrid' });
    const refused = (await executor.execute(model).catch((error: unknown) => error)) as {
      data: { approvalId: string };
    };
    expect(refused).toMatchObject({ code: 'ApprovalRequired', status: 403 });
    await approvals.decide(refused.data.approvalId, 'allow', { scope: 'once', by: null });
    expect(await executor.execute(model)).toMatchObject({ status: 'success' });
    await expect(executor.execute(model)).rejects.toMatchObject({ code: 'ApprovalRequired' });
    expect(await executor.countExecutions({})).toBe(2);
  });
});

it('runs a call that waited for approval if a person allows it, but not if they deny it', async () => {
  const { executor, registry, approvals } = await openGateway({ limits: { approvalWaitMs: 60_000 } });
  await registry.register(handlerRow({ policy: 'hybrid' }));
  const pendingId = async (): Promise<string> =>
    (await approvals.list({ status: 'pending' }, { page: 1, limit: 1 })).data[0]?.id ?? '';
  for (const decision of ['allow', 'deny'] as const) {
    const running = executor
      .execute(request({ caller: 'model', input: { decision } }))
      .catch((error: unknown) => error);
    await expect.poll(pendingId).not.toBe('');
    await approvals.decide(await pendingId(), decision, { scope: 'once', by: null });
    expect(await running).toMatchObject(decision === 'allow' ? { status: 'success' } : { code: 'ApprovalDenied' });
  }
});

describe('a package', () => {
  function makeSkill(): string {
    const directory = makeDataDirectory();
    const skill = join(directory, 'adder');
    mkdirSync(join(skill, 'scripts'), { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: adder\ndescription: Adds.\nversion: 1.4.0\n---\nAdd.\n');
    writeFileSync(
      join(skill, 'tools.json'),
      JSON.stringify([
        {
          name: 'add',
          description: 'Adds two numbers.',
          script: 'scripts/add.js',
          parameters: {
            type: 'object',
            properties: { a: { type: 'number' }, b: { type: 'number' } },
            required: ['a', 'b'],
          },
        },
      ]),
    );
    writeFileSync(join(skill, 'scripts/add.js'), 'export default ({ a, b }) => ({ sum: a + b });\n');
    writeFileSync(join(skill, 'scripts/say.sh'), 'echo "said $1"; cat; pwd > where.txt\n');
    writeFileSync(join(skill, 'scripts/wait.sh'), 'echo begun; sleep 60\n');
    return directory;
  }
  const PACKAGE = { skillName: 'adder', apiKeyId: 'key-1', caller: 'user' } as const;

  it('runs a script in the key’s workspace and records it in one row', async () => {
    proves('S4.exec.package-skill');
    const { executor, config, registry } = await openGateway({ skills: [makeSkill()] });
    const input = { script: 'scripts/say.sh', args: ['hello'], stdin: 'from outside' };
    const execution = await executor.execute({ ...PACKAGE, input, sessionId: 's' });
    expect(execution).toMatchObject({
      skillId: registry.current.resolve('adder', undefined, null)?.id,
      skillName: 'adder',
      version: '1.4.0',
      status: 'success',
      tier: 'process',
      apiKeyId: 'key-1',
      sessionId: 's',
      output: { stdout: expect.stringContaining('said hello\nfrom outside') as string, exitCode: 0 },
    });
    expect(await executor.getExecution(execution.id)).toEqual(execution);
    expect(await executor.countExecutions({})).toBe(1);
    const where = await executor.execute({ ...PACKAGE, input: { script: 'scripts/say.sh', args: ['x'] } });
    expect(where.status).toBe('success');
    expect(config.data).not.toBe('');
  });

  it('runs a tool, and records a call with wrong arguments as an error', async () => {
    const { executor } = await openGateway({ skills: [makeSkill()] });
    const call = (toolArguments: unknown): ReturnType<typeof executor.execute> =>
      executor.execute({ ...PACKAGE, input: { tool: 'add', arguments: toolArguments } });
    expect(await call({ a: 1, b: 2 })).toMatchObject({ status: 'success', output: { sum: 3 } });
    expect(await call({ a: 1 })).toMatchObject({ status: 'error', errorCode: 'InvalidArguments' });
    expect(await executor.countExecutions({ skill: 'adder' })).toBe(2);
  });

  it.each([
    ['nothing', {}],
    ['a value that is not an object', 'scripts/say.sh'],
    ['both', { script: 'scripts/say.sh', tool: 'add' }],
    ['a missing tool', { tool: 'subtract', arguments: {} }],
    ['the handler of a tool', { script: 'scripts/add.js' }],
    ['arguments that are not strings', { script: 'scripts/say.sh', args: [1] }],
    ['unknown members', { script: 'scripts/say.sh', cwd: '/' }],
  ])('refuses %s as its input', async (_what, input) => {
    const { executor } = await openGateway({ skills: [makeSkill()] });
    await expect(executor.execute({ ...PACKAGE, input })).rejects.toMatchObject({ code: 'InvalidInput' });
    expect(await executor.countExecutions({})).toBe(0);
  });

  it.each(['../../../etc/passwd', '/bin/sh', 'scripts/none.sh', 'scripts/\0.sh'])('never runs %j', async (script) => {
    const { executor } = await openGateway({ skills: [makeSkill()] });
    const execution = await executor.execute({ ...PACKAGE, input: { script } });
    expect(execution).toMatchObject({ status: 'error' });
    expect(await executor.getExecution(execution.id)).toEqual(execution);
  });

  it('is canceled with every process it started, and can be watched live', async () => {
    const { executor } = await openGateway({ skills: [makeSkill()] });
    const { id, status } = await executor.start({ ...PACKAGE, input: { script: 'scripts/wait.sh' } });
    expect(['pending', 'running']).toContain(status);
    const told: string[] = [];
    for await (const event of executor.watch(id, new AbortController().signal)) {
      told.push(wordsOf(event));
      if (event.type === 'output') void executor.cancel(id);
    }
    expect(told).toEqual(['pending', 'running', 'stdout: begun\n', 'cancelled']);
    expect(await executor.getExecution(id)).toMatchObject({ status: 'cancelled' });
  });

  it('uses the timeout of its row', async () => {
    const { executor, registry } = await openGateway({ skills: [makeSkill()] });
    await registry.update(registry.current.resolve('adder', undefined, null)?.id ?? '', { timeoutMs: 300 });
    const execution = await executor.execute({ ...PACKAGE, input: { script: 'scripts/wait.sh' } });
    expect(execution).toMatchObject({ status: 'timeout', errorCode: 'ExecutionTimeout' });
  });

  it('takes effect at once when it is edited, added or removed', async () => {
    const directory = makeSkill();
    const { registry } = await openGateway({ skills: [directory] });
    const digestOf = (name: string): string | null | undefined =>
      registry.current.resolve(name, undefined, null)?.digest;
    const before = digestOf('adder');
    writeFileSync(join(directory, 'adder', 'SKILL.md'), '---\nname: adder\ndescription: Adds more.\n---\nAdd.\n');
    await expect.poll(() => digestOf('adder'), { timeout: 20_000 }).not.toBe(before);
    mkdirSync(join(directory, 'other'));
    writeFileSync(join(directory, 'other', 'SKILL.md'), '---\nname: other\ndescription: New.\n---\nIt is new.\n');
    await expect.poll(() => digestOf('other'), { timeout: 20_000 }).toBeTypeOf('string');
    rmSync(join(directory, 'adder'), { recursive: true });
    await expect.poll(() => digestOf('adder'), { timeout: 20_000 }).toBeUndefined();
  });

  it('needs a new approval after its files changed, even before the change is noticed', async () => {
    const directory = makeSkill();
    const { executor, registry, approvals } = await openGateway({ skills: [directory], watch: false });
    await registry.update(registry.current.resolve('adder', undefined, null)?.id ?? '', { policy: 'hybrid' });
    const modelRequest = { ...PACKAGE, caller: 'model', input: { script: 'scripts/say.sh', args: ['x'] } } as const;
    const refused = (await executor.execute(modelRequest).catch((error: unknown) => error)) as {
      data: { approvalId: string };
    };
    await approvals.decide(refused.data.approvalId, 'allow', { scope: 'always', by: null });
    expect(await executor.execute(modelRequest)).toMatchObject({ status: 'success' });
    writeFileSync(join(directory, 'adder', 'scripts/say.sh'), 'echo something else\n');
    await expect(executor.execute(modelRequest)).rejects.toMatchObject({ code: 'ApprovalRequired' });
  });

  it('follows its files: changed content has a new digest, and a package without files is gone', async () => {
    const directory = makeSkill();
    const { registry, refreshSkills, executor } = await openGateway({ skills: [directory], watch: false });
    const before = registry.current.resolve('adder', undefined, null);
    writeFileSync(join(directory, 'adder', 'scripts/say.sh'), 'echo other\n');
    expect(await refreshSkills()).toMatchObject({ changed: 1 });
    const after = registry.current.resolve('adder', undefined, null);
    expect(after?.digest).not.toBe(before?.digest);
    expect(after?.id).toBe(before?.id);
    writeFileSync(join(directory, 'adder', 'SKILL.md'), '---\nname: subtracter\ndescription: Other.\n---\n');
    expect(await refreshSkills()).toMatchObject({ added: 1, gone: 1 });
    await expect(executor.execute({ ...PACKAGE, input: { tool: 'add', arguments: {} } })).rejects.toMatchObject({
      code: 'UnknownSkill',
    });
  });
});

describe('the record of executions', () => {
  it('can be read by id, listed and counted by key', async () => {
    proves('S4.exec.getExecution', 'S4.exec.listExecutions', 'S4.exec.countExecutions');
    const { executor, registry } = await openGateway();
    executor.registerHandler('throws', () => Promise.reject(new Error('no')));
    await registry.register(handlerRow());
    await registry.register(handlerRow({ name: 'bad', handler: 'throws' }));
    const good = await executor.execute(request());
    const bad = await executor.execute(request({ skillName: 'bad', apiKeyId: 'key-2' }));
    expect(await executor.getExecution(good.id)).toMatchObject({
      skillName: 'reverse-text',
      status: 'success',
      durationMs: expect.any(Number) as number,
    });
    const page = await executor.listExecutions({ apiKeyId: 'key-2' }, { page: 1, limit: 50 });
    expect(page).toMatchObject({ total: 1, data: [{ id: bad.id, errorMessage: 'no' }] });
    expect(await executor.countExecutions({ apiKeyId: 'key-1' })).toBe(1);
    expect(await executor.countExecutions({ status: 'error' })).toBe(1);
  });

  it('reports an error if it cannot be written, and nothing runs', async () => {
    const { executor, registry, store } = await openGateway();
    let calls = 0;
    executor.registerHandler('counts', () => {
      calls += 1;
    });
    await registry.register(handlerRow({ handler: 'counts' }));
    Object.assign(store.executions, { add: () => Promise.reject(new TypeError('The disk is full.')) });
    await expect(executor.execute(request())).rejects.toThrow('The disk is full.');
    await expect(executor.start(request())).rejects.toThrow('The disk is full.');
    expect(calls).toBe(0);
  });
});

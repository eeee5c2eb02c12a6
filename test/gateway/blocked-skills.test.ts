import { readdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway, type Gateway } from '../../packages/gateway/src/app.ts';
import type { TrustLevel } from '../../packages/skillwright/src/index.ts';
import { createSkillTree } from '../support/skill-tree.ts';
import { makeDataDirectory } from './store/data-directory.ts';

const FILES = {
  'greeter/SKILL.md': '---\nname: greeter\ndescription: Greets people.\nversion: 1.0.0\n---\nRun wait.sh.\n',
  'greeter/wait.sh': '#!/bin/sh\n: > waits\nsleep 600\n',
};

interface Opened {
  readonly gateway: Gateway;
  readonly data: string;
  /** The skill's id before it was blocked. */
  readonly id: string;
  decide(level: TrustLevel): Promise<unknown>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

async function open(): Promise<Opened> {
  const tree = createSkillTree(FILES);
  const data = makeDataDirectory();
  let level: TrustLevel = 'trusted';
  const gateway = await createGateway(
    { data, skills: [tree.root], logLevel: 'silent', limits: { shutdownMs: 0 } },
    { env: { PATH: process.env['PATH'] }, trust: () => level },
  );
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.keys.create({ name: 'all', scopes: ['execute', 'manage', 'proxy'] });
  const skill = gateway.registry.current.versions('greeter', null)[0];
  return {
    gateway,
    data,
    id: skill?.id ?? '',
    decide(decided) {
      level = decided;
      return gateway.refreshSkills();
    },
    call: async (method, path, body, headers) =>
      gateway.fetch(
        new Request(`http://127.0.0.1${path}`, {
          method,
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
  };
}

const ORDER = { skillName: 'greeter', input: { script: 'wait.sh' } };

describe('a skill that is blocked while the gateway runs', () => {
  it('has its executions ended, with the reason in their rows but not the skill’s path', async () => {
    const { gateway, data, decide } = await open();
    const running = gateway.executor.execute({ ...ORDER, apiKeyId: null, caller: 'user' });
    const started = (): boolean =>
      readdirSync(data, { recursive: true, encoding: 'utf8' }).some((path) => path.endsWith('waits'));
    await expect.poll(started, { timeout: 10_000 }).toBe(true);
    await decide('blocked');
    const row = await running;
    expect(row).toMatchObject({ status: 'cancelled', errorCode: 'SkillBlocked' });
    expect(row.errorMessage).toMatch(/^SkillBlocked: Skill 'greeter' is blocked/);
  });

  it.each([
    ['run by its name', 'POST', () => '/api/skills/executions', ORDER],
    ['run by its name and version', 'POST', () => '/api/skills/executions', { ...ORDER, skillName: 'greeter@^1' }],
    ['shown by its id', 'GET', (id: string) => `/api/skills/${id}`, undefined],
    ['shown by its name', 'GET', () => '/api/skills/greeter', undefined],
    ['changed', 'PUT', (id: string) => `/api/skills/${id}`, { mode: 'on' }],
    ['removed', 'DELETE', (id: string) => `/api/skills/${id}`, undefined],
  ])('is refused with 403, not 404, when it is %s', async (_what, method, path, body) => {
    const { id, decide, call } = await open();
    await decide('blocked');
    const response = await call(method, path(id), body);
    const problem = (await response.json()) as object;
    expect({ status: response.status, ...problem }).toMatchObject({
      status: 403,
      code: 'SkillBlocked',
      detail: expect.stringMatching(/^Skill 'greeter' is blocked.*skillwright trust/) as string,
      data: { name: 'greeter' },
    });
    await decide('trusted');
    expect((await call('GET', `/api/skills/${id}`)).status).toBe(200);
  });

  it('is not listed, matched or shown to models, and a client that names it is told so', async () => {
    const { decide, call } = await open();
    await decide('blocked');
    expect(await (await call('GET', '/api/skills?source=local')).text()).not.toContain('greeter');
    expect(await (await call('POST', '/api/skills/match', { text: 'Greet people.' })).text()).not.toContain('greeter');
    const said = { model: 'demo', messages: [{ role: 'user', content: 'Greet people.' }] };
    const response = await call('POST', '/v1/chat/completions', said, { 'x-skillwright-skills': 'greeter' });
    expect(response.headers.get('x-skillwright-skipped')).toBe('no skill fits: greeter is blocked');
  });

  it('yields SkillBlocked to a model whose conversation used it', async () => {
    const { gateway, decide } = await open();
    const { skills } = gateway;
    const [skill] = skills.snapshot.skills;
    if (skill === undefined) throw new Error('There is no skill.');
    const conversation = skills.open({ snapshot: skills.snapshot, skills: [skill] }, { id: 'one', tenant: '' });
    await decide('blocked');
    for (const [name, args] of [
      ['use_skill', { skill: 'greeter', script: 'wait.sh' }],
      ['load_skill', { skill: 'greeter' }],
    ] as const) {
      const { value } = await conversation.execute({ callId: name, name, arguments: args });
      expect(value).toMatchObject({ success: false, code: 'SkillBlocked' });
    }
  });
});

import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createDirectorySource,
  createSkillsProvider,
  SkillManager,
  type TrustLevel,
} from '../../packages/skillwright/src/index.ts';
import { createTrustStore, type TrustStore } from '../../packages/skillwright/src/host.ts';
import { createRuntime, type Runtime } from '../../packages/skillwright/src/runtime.ts';
import type { SkillRecord } from '../../packages/skillwright/src/catalog/snapshot/skill-record.ts';
import { createSkillTree, type SkillTree } from '../support/skill-tree.ts';

const FILES = {
  'skills/kit/SKILL.md': '---\nname: kit\ndescription: Has tools.\n---\nCall its tools.\n',
  'skills/kit/tools.json': JSON.stringify([
    {
      name: 'stay',
      description: 'Connects once, and counts its calls.',
      script: 'stay.mjs',
      parameters: { port: { type: 'number', optional: true } },
    },
    { name: 'wait', description: 'Never answers.', script: 'wait.mjs', parameters: {} },
    { name: 'read', description: 'Answers the instructions.' },
  ]),
  'skills/kit/stay.mjs': `
    import { connect } from 'node:net';
    let calls = 0;
    let socket;
    export const handler = ({ port }) => {
      if (port !== undefined) socket ??= connect(port, '127.0.0.1').unref();
      return (calls += 1);
    };
  `,
  'skills/kit/wait.mjs': `
    import { writeFileSync } from 'node:fs';
    export const handler = ({ __workDir }) => (writeFileSync(__workDir + '/waits', ''), new Promise((resolve) => setTimeout(resolve, 600_000)));
  `,
  'skills/kit/wait.sh': '#!/bin/sh\n: > ../../waits\nsleep 600\n',
  'skills/kit/end.sh': '#!/bin/sh\n: > ../../waits\nwhile [ ! -e "$1" ]; do sleep 0.05; done\n',
};

/** The user's current decision about the skill; tests change it. */
interface Decision {
  level: TrustLevel;
}

/** A server for a worker to connect to for as long as it lives. */
async function listen(): Promise<{ port: number; connected: Promise<Socket> }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  const connected = once(server, 'connection').then(([socket]) => socket as Socket);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, connected };
}

function openRuntime(): { runtime: Runtime; tree: SkillTree; decision: Decision } {
  const tree = createSkillTree(FILES);
  const decision: Decision = { level: 'trusted' };
  const runtime = createRuntime({
    sources: [createDirectorySource({ path: tree.path('skills'), trust: 'trusted' })],
    trust: () => decision.level,
    projectDir: tree.root,
    timeout: 600_000,
  });
  onTestFinished(() => runtime.runner.close());
  return { runtime, tree, decision };
}

const BLOCKED = { success: false, code: 'SkillBlocked' };

describe('a skill that becomes blocked', () => {
  it('loses its warm workers', async () => {
    const { runtime, decision } = openRuntime();
    const record = runtime.catalog.refreshSync().find('kit');
    const tool = record?.metadata.tools.find(({ name }) => name === 'stay');
    if (record === undefined || tool === undefined) throw new Error('There is no such tool.');
    const { port, connected } = await listen();
    await runtime.runner.callTool(record, tool, { port });
    expect(await runtime.runner.callTool(record, tool, { port })).toMatchObject({ value: 2 });
    const worker = await connected;
    const gone = once(worker.resume(), 'close');
    expect(worker.closed).toBe(false);
    decision.level = 'blocked';
    await runtime.catalog.refresh();
    await gone;
  });

  it.each(['wait', 'wait.sh'])('ends the running %s, which returns SkillBlocked', async (target) => {
    const { runtime, tree, decision } = openRuntime();
    const record = runtime.catalog.refreshSync().find('kit');
    if (record === undefined) throw new Error('There is no such skill.');
    const tool = record.metadata.tools.find(({ name }) => name === target);
    const running =
      tool === undefined
        ? runtime.runner.runScript(record, target, [])
        : runtime.runner.callTool(record, tool, {}).then(({ execution }) => execution);
    await expect.poll(() => existsSync(tree.path('waits')), { timeout: 10_000 }).toBe(true);
    decision.level = 'blocked';
    await runtime.catalog.refresh();
    const result = await running;
    expect(result).toMatchObject(BLOCKED);
    expect(result.error).toMatch(/^SkillBlocked: Skill 'kit' is blocked/);
    expect(result).not.toHaveProperty('started');
  });

  it('starts nothing more for callers that looked it up before', async () => {
    const { runtime, decision } = openRuntime();
    const record = runtime.catalog.refreshSync().find('kit');
    if (record === undefined) throw new Error('There is no such skill.');
    decision.level = 'blocked';
    await runtime.catalog.refresh();
    for (const tool of record.metadata.tools) {
      const { execution, isError } = await runtime.runner.callTool(record, tool, {});
      expect({ ...execution, isError }).toMatchObject({ ...BLOCKED, isError: true, started: false });
    }
    expect(await runtime.runner.runScript(record, 'wait.sh', [])).toMatchObject({ ...BLOCKED, started: false });
  });

  it('runs again when the block is removed', async () => {
    const { runtime, decision } = openRuntime();
    runtime.catalog.refreshSync();
    for (const level of ['blocked', 'trusted'] as const) {
      decision.level = level;
      await runtime.catalog.refresh();
    }
    const record = runtime.catalog.snapshot?.find('kit');
    const tool = record?.metadata.tools.find(({ name }) => name === 'stay');
    if (record === undefined || tool === undefined) throw new Error('There is no such tool.');
    expect(await runtime.runner.callTool(record, tool, {})).toMatchObject({ isError: false });
  });

  it('is neither loaded, read nor run in conversations that have begun', async () => {
    const tree = createSkillTree(FILES);
    const decision: Decision = { level: 'trusted' };
    const provider = await createSkillsProvider(tree.path('skills'), { trust: () => decision.level });
    onTestFinished(() => provider.close());
    const session = provider.session();
    decision.level = 'blocked';
    await provider.refresh();
    const calls: [string, object][] = [
      ['load_skill', { skill: 'kit' }],
      ['read_skill_file', { skill: 'kit', path: 'stay.mjs' }],
      ['use_skill', { skill: 'kit', script: 'wait.sh' }],
      ['stay', {}],
    ];
    for (const [name, args] of calls) {
      const { value, isError } = await session.execute(name, args);
      expect({ name, isError, value }).toMatchObject({ name, isError: true, value: BLOCKED });
    }
    expect(provider.session().systemPrompt).not.toContain('kit');
  });

  it('is reported as SkillBlocked when a manager is asked to run its script or tool', async () => {
    const tree = createSkillTree(FILES);
    const manager = new SkillManager({ cwd: tree.root, projectSkillDir: 'skills', trust: 'blocked' });
    onTestFinished(() => manager.close());
    const blocked = expect.objectContaining({ code: 'SkillBlocked' }) as Error;
    await expect(manager.runScript('kit', 'wait.sh')).rejects.toEqual(blocked);
    await expect(manager.callTool('kit__stay', {})).rejects.toEqual(blocked);
    expect(manager.listSkills()).toEqual([]);
  });
});

describe('a running skill that disappears from the catalog', () => {
  /** Skills that are trusted unless the user's trust file says otherwise. */
  function openHiding(): { runtime: Runtime; tree: SkillTree; store: TrustStore } {
    const tree = createSkillTree(FILES);
    mkdirSync(tree.path('other/deep'), { recursive: true });
    const store = createTrustStore(tree.path('config/trust.json'));
    const runtime = createRuntime({
      sources: [createDirectorySource({ path: tree.path('skills'), trust: 'trusted' })],
      trust: ({ realDir }) => store.levelOf(realDir),
      projectDir: tree.root,
      timeout: 600_000,
    });
    onTestFinished(() => runtime.runner.close());
    return { runtime, tree, store };
  }

  /** Calls a tool whose worker stays warm. `gone` settles when that worker has ended. */
  async function keepWorker(runtime: Runtime): Promise<{ record: SkillRecord; gone: Promise<unknown> }> {
    const record = runtime.catalog.refreshSync().find('kit');
    const tool = record?.metadata.tools.find(({ name }) => name === 'stay');
    if (record === undefined || tool === undefined) throw new Error('There is no such tool.');
    const { port, connected } = await listen();
    await runtime.runner.callTool(record, tool, { port });
    return { record, gone: once((await connected).resume(), 'close') };
  }

  const hide = (tree: SkillTree): void => renameSync(tree.path('skills/kit/SKILL.md'), tree.path('skills/kit/hidden'));
  const moveTo =
    (path: string) =>
    (tree: SkillTree): void =>
      renameSync(tree.path('skills/kit'), tree.path(path));

  it.each<[string, string, string, (tree: SkillTree) => void, isLinuxOnly?: boolean]>([
    ['its SKILL.md is gone', 'its directory', 'skills/kit', hide],
    ['its SKILL.md is gone', 'the directory above it', 'skills', hide],
    ['its directory has another name', 'the directory above it', 'skills', moveTo('skills/new')],
    ['its directory has another name', 'the new name', 'skills/new', moveTo('skills/new'), true],
    ['its directory is elsewhere', 'the directory it was in', 'skills', moveTo('other/deep/kit')],
    ['its directory is elsewhere', 'a directory above the new place', 'other', moveTo('other/deep/kit'), true],
    [
      'a link stands in its place',
      'the path of its directory',
      'skills/kit',
      (tree) => {
        moveTo('other/deep/kit')(tree);
        symlinkSync(tree.path('other'), tree.path('skills/kit'));
      },
    ],
  ])('is ended even if %s, when %s is blocked', async (_how, _what, path, disturb, isLinuxOnly) => {
    if (isLinuxOnly === true && process.platform !== 'linux') return;
    const { runtime, tree, store } = openHiding();
    const record = runtime.catalog.refreshSync().find('kit');
    if (record === undefined) throw new Error('There is no such skill.');
    const running = runtime.runner.runScript(record, 'wait.sh', []);
    await expect.poll(() => existsSync(tree.path('waits')), { timeout: 10_000 }).toBe(true);
    disturb(tree);
    expect((await runtime.catalog.refresh()).blocked).toEqual([]);
    await store.set(tree.path(path), 'blocked');
    await runtime.catalog.refresh();
    expect(await running).toMatchObject(BLOCKED);
  });

  it('starts nothing more once its directory is blocked, for callers that looked it up before', async () => {
    const { runtime, tree, store } = openHiding();
    const record = runtime.catalog.refreshSync().find('kit');
    if (record === undefined) throw new Error('There is no such skill.');
    hide(tree);
    await store.set(tree.path('skills/kit'), 'blocked');
    expect((await runtime.catalog.refresh()).blocked).toEqual([]);
    expect(await runtime.runner.runScript(record, 'wait.sh', [])).toMatchObject({ ...BLOCKED, started: false });
  });

  it('runs to its end if it is only deleted, and loses its warm workers', async () => {
    const { runtime, tree } = openHiding();
    const { record, gone } = await keepWorker(runtime);
    const running = runtime.runner.runScript(record, 'end.sh', [tree.path('go')]);
    await expect.poll(() => existsSync(tree.path('waits')), { timeout: 10_000 }).toBe(true);
    rmSync(tree.path('skills/kit/SKILL.md'));
    await runtime.catalog.refresh();
    await gone;
    writeFileSync(tree.path('go'), '');
    expect(await running).toMatchObject({ success: true });
  });

  it('loses its warm workers when another directory replaces it', async () => {
    const { runtime, tree } = openHiding();
    const { gone } = await keepWorker(runtime);
    moveTo('other/deep/kit')(tree);
    mkdirSync(tree.path('skills/kit'));
    writeFileSync(tree.path('skills/kit/SKILL.md'), FILES['skills/kit/SKILL.md']);
    await runtime.catalog.refresh();
    await expect(gone).resolves.toBeDefined();
  });
});

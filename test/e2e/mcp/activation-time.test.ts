import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { ToolOutcome } from '../../../packages/skillwright/src/agent/tools/tool-outcome.ts';
import { SkillsProvider } from '../../../packages/skillwright/src/faces/provider/skills-provider.ts';
import { createRuntime } from '../../../packages/skillwright/src/runtime.ts';
import { createStandardSources } from '../../../packages/skillwright/src/sources/standard-sources.ts';
import { servedByProvider } from '../../../packages/skillwright/src/surfaces/mcp/provider-skills.ts';
import {
  createCallDesk,
  type CallDesk,
  type ToolCalls,
} from '../../../packages/skillwright/src/surfaces/mcp/tool-calls.ts';
import { makeSkills, skillFiles } from './mcp-client.ts';

const MINUTE = 60_000;

/** The calls of clients, and a clock that only the test moves. */
async function openDesk(): Promise<CallDesk & { wait(minutes: number): void }> {
  const cwd = makeSkills(skillFiles('narrow', {}, { 'allowed-tools': 'Read' }));
  const sources = createStandardSources({ cwd, projectSkillDir: 'skills' }, { trust: 'trusted' });
  const runtime = createRuntime({ sources });
  const snapshot = await runtime.catalog.refresh();
  const provider = new SkillsProvider(runtime, { cwd }, { snapshot, createSdkTools: () => [] });
  onTestFinished(() => provider.close());
  let now = 0;
  const desk = createCallDesk(
    servedByProvider({
      provider: () => provider,
      runtime,
      tenant: 'test',
      projectDir: cwd,
      followOutput: () => () => {},
    }),
    {
      now: () => now,
    },
  );
  return { ...desk, wait: (minutes) => void (now += minutes * MINUTE) };
}

async function call(calls: ToolCalls, name: string, args: Readonly<Record<string, unknown>>): Promise<ToolOutcome> {
  return calls.call(name, args, { signal: new AbortController().signal, executionId: randomUUID() });
}

async function loadNarrow(calls: ToolCalls): Promise<string> {
  const { text } = await call(calls, 'load_skill', { skill: 'narrow' });
  return /activation: "([^"]+)"/.exec(text)?.[1] ?? '';
}

it('a skill of a connection is active until 10 minutes pass without a call', async () => {
  const desk = await openDesk();
  const calls = desk.connect();
  await loadNarrow(calls);
  for (const minutes of [9, 10, 10, 10, 10, 10, 10]) {
    desk.wait(minutes);
    expect((await call(calls, 'add', { a: 1, b: 2 })).text).toContain('not allowed for skill');
  }
  desk.wait(10.1);
  expect((await call(calls, 'add', { a: 1, b: 2 })).text).toBe('{"sum":3}');
});

it('one connection knows nothing of the skills of another', async () => {
  const desk = await openDesk();
  await loadNarrow(desk.connect());
  expect((await call(desk.connect(), 'add', { a: 1, b: 2 })).text).toBe('{"sum":3}');
});

it('an activation is refused after 10 minutes without a call', async () => {
  const desk = await openDesk();
  const activation = await loadNarrow(desk.stateless);
  desk.wait(9);
  expect((await call(desk.stateless, 'add', { a: 1, b: 2, activation })).text).toContain('not allowed for skill');
  desk.wait(10.1);
  const { text, isError } = await call(desk.stateless, 'add', { a: 1, b: 2, activation });
  expect(isError).toBe(true);
  expect(text).toContain("The activation of skill 'narrow' has expired. Load the skill again");
});

it('an activation is refused after an hour, however often it is used', async () => {
  const desk = await openDesk();
  const activation = await loadNarrow(desk.stateless);
  for (let used = 0; used < 7; used += 1) {
    desk.wait(8);
    expect((await call(desk.stateless, 'add', { a: 1, b: 2, activation })).text).toContain('not allowed for skill');
  }
  desk.wait(5);
  expect((await call(desk.stateless, 'add', { a: 1, b: 2, activation })).text).toContain('has expired');
});

it('a client that loads without end keeps its newest activations', async () => {
  const desk = await openDesk();
  const oldest = await loadNarrow(desk.stateless);
  let newest = '';
  for (let loads = 0; loads < 1_000; loads += 1) newest = await loadNarrow(desk.stateless);
  expect((await call(desk.stateless, 'add', { a: 1, b: 2, activation: oldest })).text).toContain('no such activation');
  expect((await call(desk.stateless, 'add', { a: 1, b: 2, activation: newest })).text).toContain('not allowed');
});

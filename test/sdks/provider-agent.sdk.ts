import { OpenRouter, stepCountIs } from '@openrouter/agent';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createSkillsProvider } from '../../packages/skillwright/src/index.ts';
import type { ScriptedModel, ScriptedTurn } from '../../packages/skillwright/src/testing/index.ts';
import { startModel } from './scripted-model.ts';

const SKILLS = fileURLToPath(new URL('../fixtures/seed-000/skills', import.meta.url));

/** Runs a script through the SDK's own loop, with the tools of a session. */
async function callModel(...script: ScriptedTurn[]): Promise<{ text: string; model: ScriptedModel }> {
  const model = await startModel(...script);
  const skills = await createSkillsProvider(SKILLS);
  onTestFinished(() => skills.close());
  const session = skills.session();
  const serverURL = model.baseUrl('openai-responses', 'openrouter');
  const result = new OpenRouter({ apiKey: 'key', serverURL, retryConfig: { strategy: 'none' } }).callModel({
    model: 'some/model',
    instructions: session.systemPrompt,
    input: 'Go on.',
    tools: [...session.sdkTools],
    stopWhen: stepCountIs(10),
  });
  return { text: await result.getText(), model };
}

it('continues after calls that make no sense', async () => {
  const { text, model } = await callModel(
    {
      calls: [
        { name: 'load_skill', arguments: { skill: 'discrod' } },
        { name: 'load_skill', arguments: { skill: 7 } },
        { name: 'use_skill', arguments: { skill: 'discord', script: '../../etc/passwd' } },
        { name: 'load_skill', arguments: { skill: 'discord', surprise: true } },
      ],
    },
    { text: 'Done.' },
  );
  expect(text).toBe('Done.');
  expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  const results = model.requests[1]?.conversation?.results ?? [];
  expect(results).toHaveLength(4);
  expect(results[0]?.text).toContain('discord');
  expect(results[2]?.text).toContain('ScriptNotAllowed');
  expect(results[3]?.text).toContain('discord.mjs channels list');
});

it('gets texts unchanged, and only the parts of a run that matter', async () => {
  const use = { skill: 'discord', script: 'discord.mjs', args: ['channels', 'list'] };
  const { model } = await callModel(
    {
      calls: [
        { name: 'load_skill', arguments: { skill: 'discord' } },
        { name: 'use_skill', arguments: use },
      ],
    },
    { text: 'Done.' },
  );
  const [loaded, used] = model.requests[1]?.conversation?.results ?? [];
  expect(loaded?.text).toMatch(/^Base directory for this skill: .*\n\n/);
  expect(Object.keys(JSON.parse(used?.text ?? '') as object)).toEqual(['stdout']);
});

it('makes 200 concurrent calls, and keeps their order', async () => {
  const calls = Array.from({ length: 200 }, (_, index) => ({
    name: 'load_skill',
    arguments: { skill: 'discord', arguments: `number ${index}.` },
  }));
  const { text, model } = await callModel({ calls }, { text: 'Done.' });
  expect(text).toBe('Done.');
  const results = model.requests[1]?.conversation?.results ?? [];
  expect(results.map(({ text: said }) => /number \d+\./.exec(said)?.[0])).toEqual(
    calls.map((call) => call.arguments.arguments),
  );
});

it('returns a one-line note when a conversation loads a skill a second time', async () => {
  const load = { calls: [{ name: 'load_skill', arguments: { skill: 'discord' } }] };
  const { model } = await callModel(load, load, { text: 'Done.' });
  expect(model.requests[2]?.conversation?.results[0]?.text).toContain('is already loaded');
});

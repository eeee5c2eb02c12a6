import { afterEach, describe, expect, it } from 'vitest';
import { createSkillsProvider, runAgent, type RunAgentOptions } from '../../../packages/skillwright/src/index.ts';
import { createSkillTree, skillText } from '../../support/skill-tree.ts';
import { modelOf, openThings } from '../scripted-agent.ts';

const things = openThings();
afterEach(() => things.closeAll());

describe('runAgent', () => {
  it.each<[string, Partial<Record<keyof RunAgentOptions, unknown>>]>([
    ['skills', { skills: './skills' }],
    ['skills', { skills: null }],
    ['requiredSkills', { requiredSkills: ['poet'] }],
    ['requiredSkills', { requiredSkills: 'poet' }],
    ['taskMatch', { taskMatch: true }],
  ])('rejects an unusable option %s before the first request', async (option, given) => {
    const model = await things.scripted([]);
    const options = { model: modelOf(model, 'openai-chat'), input: 'Go.', ...given } as RunAgentOptions;
    await expect(runAgent(options)).rejects.toMatchObject({ code: 'InvalidOptions', data: { option } });
    expect(model.requests).toEqual([]);
  });

  it("says where the demo model is when only a model's name is given", async () => {
    await expect(runAgent({ model: 'demo', input: 'Go.' } as never)).rejects.toThrow(
      'a client such as createDemoModel() from skillwright/demo.',
    );
  });

  it('accepts a tool whose schema has no properties', async () => {
    const model = await things.scripted([{ calls: [{ name: 'ping', arguments: { any: 1 } }] }, { text: 'Done.' }]);
    const given: unknown[] = [];
    const ping = { name: 'ping', description: 'Pings.', inputSchema: { type: 'object' } as const };
    const tools = [{ ...ping, execute: (args: unknown) => given.push(args) }];
    const result = await runAgent({ model: modelOf(model, 'gemini'), input: 'Go.', tools });
    expect(result.reason).toBe('end');
    expect(given).toEqual([{ any: 1 }]);
  });

  it('accepts a tool that is an instance of a class', async () => {
    class Counter {
      readonly name = 'count';
      readonly description = 'Counts.';
      readonly inputSchema = { type: 'object' } as const;
      calls = 0;
      execute(): number {
        this.calls += 1;
        return this.calls;
      }
    }
    const counter = new Counter();
    const model = await things.scripted([{ calls: [{ name: 'count' }] }, { text: 'Done.' }]);
    await runAgent({ model: modelOf(model, 'openai-chat'), input: 'Go.', tools: [counter] });
    expect(counter.calls).toBe(1);
  });

  it.each([
    [true, /ran it/],
    [false, /not approved/],
  ])('accepts %s from approve, as a provider does', async (answer, told) => {
    const tree = createSkillTree({
      'skills/kit/SKILL.md': skillText({ name: 'kit', description: 'Does things.' }),
      'skills/kit/go.mjs': "console.log('ran it');\n",
    });
    const skills = things.keep(
      await createSkillsProvider(tree.path('skills'), { policy: { execution: { '*': 'hybrid' } } }),
    );
    const use = { name: 'use_skill', arguments: { skill: 'kit', script: 'go.mjs' } };
    const model = await things.scripted([{ calls: [use] }, { text: 'Done.' }]);
    await runAgent({ model: modelOf(model, 'openai-chat'), input: 'Go.', skills, approve: () => answer });
    expect(model.requests[1]?.conversation?.results[0]?.text).toMatch(told);
  });
});

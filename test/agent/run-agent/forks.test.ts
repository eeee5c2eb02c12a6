import { afterEach, describe, expect, it } from 'vitest';
import { createSkillsProvider, runAgent, type TraceEvent } from '../../../packages/skillwright/src/index.ts';
import { createSkillTree, skillText } from '../../support/skill-tree.ts';
import { ADD, modelOf, openThings } from '../scripted-agent.ts';

const things = openThings();
afterEach(() => things.closeAll());

const LOAD = { calls: [{ name: 'load_skill', arguments: { skill: 'digger', arguments: 'Dig here.' } }] };

async function diggerSkills() {
  const tree = createSkillTree({
    'skills/digger/SKILL.md': skillText({ name: 'digger', description: 'Digs.', context: 'fork' }, 'Dig deep.\n'),
  });
  return things.keep(await createSkillsProvider(tree.path('skills')));
}

describe('the agent of a forked skill', () => {
  it("adds its usage to its parent's, and its trace names the parent", async () => {
    const model = await things.scripted([LOAD, { text: 'A bone.' }, { text: 'It found a bone.' }]);
    const traces: TraceEvent[] = [];
    const result = await runAgent({
      model: modelOf(model, 'openai-chat'),
      input: 'Find something.',
      skills: await diggerSkills(),
      onTrace: (event) => traces.push(event),
    });
    expect(result).toMatchObject({ text: 'It found a bone.', rounds: 2 });
    expect(result.usage.input).toBe(inputOf(traces));
    const forked = traces.filter(({ data }) => data.parentRunId === result.runId);
    expect(forked.map(({ type }) => type)).toEqual(['skill_loaded', 'llm_call', 'run_end']);
    expect(forked[0]?.data).toMatchObject({ skillName: 'digger', trigger: 'load_skill' });
    const call = traces.find(({ type }) => type === 'tool_call')?.data;
    expect(call).toMatchObject({ callId: forked[0]?.data.parentCallId, runId: result.runId });
    expect(traces.at(-1)).toMatchObject({ type: 'run_end', data: { reason: 'end', rounds: 2, usage: result.usage } });
  });

  it('gets only the remaining tokens, and its usage is deducted', async () => {
    const chatter = 'word '.repeat(2_000);
    const model = await things.scripted({
      respond: ({ body }) =>
        JSON.stringify(body).includes('Dig deep.')
          ? { text: chatter, calls: [{ name: 'add', arguments: { a: 1, b: 1 } }] }
          : LOAD,
    });
    const result = await runAgent({
      model: modelOf(model, 'openai-chat'),
      input: 'Find something.',
      skills: await diggerSkills(),
      tools: [ADD],
      maxTokens: 8_000,
    });
    expect(result.reason).toBe('max-tokens');
    expect(model.requests.length).toBeLessThan(12);
  });

  it('does not start when a user names the skill: the model is told to load the skill', async () => {
    const model = await things.scripted([{ text: 'Well.' }]);
    await runAgent({ model: modelOf(model, 'openai-chat'), input: '/digger the garden', skills: await diggerSkills() });
    const asked = JSON.stringify(model.requests[0]?.body);
    expect(asked).toContain(
      JSON.stringify('call load_skill with {"skill":"digger","arguments":"the garden"}').slice(1, -1),
    );
    expect(asked).not.toContain('Dig deep.');
  });
});

function inputOf(traces: readonly TraceEvent[]): number {
  return traces.reduce((sum, { type, data }) => sum + (type === 'llm_call' ? (data.usage?.input ?? 0) : 0), 0);
}

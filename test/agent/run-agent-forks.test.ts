import { afterEach, describe, expect, it } from 'vitest';
import { createSkillsProvider, runAgent, type TraceEvent } from '../../packages/skillwright/src/index.ts';
import { createSkillTree, skillText } from '../support/skill-tree.ts';
import { modelOf, openThings } from './scripted-agent.ts';

const things = openThings();
afterEach(() => things.closeAll());

const USAGE = { input: 100, output: 10 };
const LOAD = { calls: [{ name: 'load_skill', arguments: { skill: 'digger', arguments: 'Dig here.' } }] };

async function diggerSkills() {
  const tree = createSkillTree({
    'skills/digger/SKILL.md': skillText({ name: 'digger', description: 'Digs.', context: 'fork' }, 'Dig deep.\n'),
  });
  return things.keep(await createSkillsProvider(tree.path('skills')));
}

describe('the agent of a forked skill', () => {
  it('is on the bill of the one that it works for, and its trace says whose it is', async () => {
    const model = await things.scripted([
      { ...LOAD, usage: USAGE },
      { text: 'A bone.', usage: USAGE },
      { text: 'It found a bone.', usage: USAGE },
    ]);
    const traces: TraceEvent[] = [];
    const result = await runAgent({
      model: modelOf(model, 'openai-chat'),
      input: 'Find something.',
      skills: await diggerSkills(),
      onTrace: (event) => traces.push(event),
    });
    expect(result).toMatchObject({ text: 'It found a bone.', usage: { input: 300, output: 30 }, rounds: 2 });
    const forked = traces.filter(({ data }) => data.parentRunId === result.runId);
    expect(forked.map(({ type }) => type)).toEqual(['skill_loaded', 'llm_call', 'run_end']);
    expect(forked[0]?.data).toMatchObject({ skillName: 'digger', trigger: 'load_skill' });
    const call = traces.find(({ type }) => type === 'tool_call')?.data;
    expect(call).toMatchObject({ callId: forked[0]?.data.parentCallId, runId: result.runId });
    expect(traces.at(-1)).toMatchObject({ type: 'run_end', data: { reason: 'end', rounds: 2, usage: { input: 300 } } });
  });

  it('has only the tokens that are left', async () => {
    const dig = { calls: [{ name: 'load_skill', arguments: { skill: 'digger' } }], usage: USAGE };
    const model = await things.scripted({ respond: () => dig });
    const result = await runAgent({
      model: modelOf(model, 'openai-chat'),
      input: 'Find something.',
      skills: await diggerSkills(),
      maxTokens: 250,
    });
    expect(result.reason).toBe('max-tokens');
    // One request of the agent, two and a last one of the fork, and the last ones of the agent.
    expect(model.requests.length).toBeLessThanOrEqual(6);
    expect(result.usage.input).toBe(100 * model.requests.length);
  });
});

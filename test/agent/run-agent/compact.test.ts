import { afterEach, describe, expect, it } from 'vitest';
import { createSkillsProvider, runAgent, type AgentEvent } from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedModel } from '../../../packages/skillwright/src/testing/index.ts';
import { createSkillTree, skillText } from '../../support/skill-tree.ts';
import { ADD, modelOf, openThings } from '../scripted-agent.ts';

const things = openThings();
afterEach(() => things.closeAll());

const LOAD = { calls: [{ name: 'load_skill', arguments: { skill: 'poet' } }] };
const RULE = 'Every line rhymes with moon.';

async function poetSession() {
  const tree = createSkillTree({
    'skills/poet/SKILL.md': skillText({ name: 'poet', description: 'Writes poems.' }, `${RULE}\n`),
  });
  return things.keep(await createSkillsProvider(tree.path('skills'))).session();
}

function asked(model: ScriptedModel): string {
  return JSON.stringify(model.requests.at(-1)?.body);
}

describe.each(WIRE_FORMATS)('a history that gets too long on %s', (format) => {
  it('is also passed to compact before the first request of a turn', async () => {
    const model = await things.scripted([{ text: 'Yes.' }, { text: 'Yes.' }]);
    const counts: number[] = [];
    const options = { model: modelOf(model, format), compact: remember(counts) };
    const { messages } = await runAgent({ ...options, input: 'word '.repeat(4_000) });
    await runAgent({ ...options, input: 'And now?', history: messages });
    expect(counts).toHaveLength(2);
    for (const count of counts) expect(count).toBeGreaterThan(4_000);
  });

  it("keeps the session's loaded skills when it is shortened, also in later turns", async () => {
    const model = await things.scripted([LOAD, { text: 'I know it.' }, { text: 'Moon.' }, { text: 'Soon.' }]);
    const options = { model: modelOf(model, format), skills: await poetSession() };
    const first = await runAgent({ ...options, input: 'Learn it.' });
    const second = await runAgent({
      ...options,
      input: 'Write.',
      history: first.messages,
      compact: ({ messages }) => messages.slice(-1),
    });
    expect(asked(model)).toContain(RULE);
    expect(second.messages).toHaveLength(2);
    await runAgent({ ...options, input: 'More.', history: second.messages, compact: ({ messages }) => [...messages] });
    expect(asked(model).split(RULE)).toHaveLength(2);
  });

  it('keeps loaded skills even if compact empties their results without removing them', async () => {
    const model = await things.scripted([LOAD, { text: 'I know it.' }, { text: 'Moon.' }]);
    const options = { model: modelOf(model, format), skills: await poetSession() };
    const { messages } = await runAgent({ ...options, input: 'Learn it.' });
    const emptied = (all: readonly unknown[]): readonly unknown[] =>
      JSON.parse(JSON.stringify(all).replaceAll(RULE, '(dropped)')) as readonly unknown[];
    await runAgent({ ...options, input: 'Go.', history: messages, compact: (given) => emptied(given.messages) });
    expect(asked(model).split(RULE)).toHaveLength(2);
  });
});

describe('a compact hook that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no room');
      },
      'no room',
    ],
    ['returns no list', () => 'nothing' as never, 'a list of messages'],
  ])('loses nothing when it %s, and an event says so', async (_how, compact, problem) => {
    const model = await things.scripted([{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, { text: 'Three.' }]);
    const events: AgentEvent[] = [];
    const result = await runAgent({
      model: modelOf(model, 'openai-chat'),
      input: 'Add.',
      tools: [ADD],
      compact,
      onEvent: (event) => events.push(event),
    });
    expect(result).toMatchObject({ text: 'Three.', reason: 'end' });
    expect(result.messages).toHaveLength(4);
    const failed = events.filter(({ type }) => type === 'compact-failed');
    expect(failed).toMatchObject([{ round: 0 }, { round: 1 }]);
    expect(JSON.stringify(failed)).toContain(problem);
  });
});

function remember(counts: number[]) {
  return ({ messages, inputTokens }: { messages: readonly unknown[]; inputTokens: number }): readonly unknown[] => {
    counts.push(inputTokens);
    return messages;
  };
}

import { afterEach, describe, expect, it } from 'vitest';
import {
  createSkillsProvider,
  runAgent,
  type AgentEvent,
  type TraceEvent,
} from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';
import { createSkillTree, skillText } from '../../support/skill-tree.ts';
import { ADD, modelOf, openThings } from '../scripted-agent.ts';

const things = openThings();
afterEach(() => things.closeAll());

const SLEEPY = "console.log('begun'); setTimeout(() => {}, 60_000);\n";

describe.each(WIRE_FORMATS)('an abort on %s', (format) => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14])(
    'at event %i ends the turn with a reason and a valid history',
    async (place) => {
      const model = await things.scripted({
        respond: ({ userText, results }) => {
          if (userText === 'And now?') return { text: 'Well.' };
          const text = 'Some words that take several frames to say.';
          return results.length === 0 ? { text, calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] } : { text };
        },
      });
      const controller = new AbortController();
      const seen: AgentEvent[] = [];
      const options = { model: modelOf(model, format), tools: [ADD] };
      const result = await runAgent({
        ...options,
        input: 'Go.',
        signal: controller.signal,
        onEvent(event) {
          if (seen.length === place) controller.abort();
          seen.push(event);
        },
      });
      expect(['cancelled', 'end']).toContain(result.reason);
      if (place < 9) expect(result.reason).toBe('cancelled');
      const next = await runAgent({ ...options, input: 'And now?', history: result.messages });
      expect(next).toMatchObject({ reason: 'end', text: 'Well.' });
    },
  );

  it('in the middle of an answer keeps the text so far, and is traced', async () => {
    const model = await things.scripted([{ text: 'Some words that take several frames to say.' }, { text: 'Well.' }]);
    const controller = new AbortController();
    const traces: TraceEvent[] = [];
    const result = await runAgent({
      model: modelOf(model, format),
      input: 'Go.',
      signal: controller.signal,
      onTrace: (event) => traces.push(event),
      onEvent: ({ type }) => type === 'text' && controller.abort(),
    });
    expect(result).toMatchObject({ reason: 'cancelled', rounds: 1, failure: { kind: 'cancelled' } });
    expect(result.text).toMatch(/^Some/);
    expect(traces).toMatchObject([
      { type: 'llm_call', data: { stop: null, error: 'The turn was cancelled.' } },
      { type: 'run_end', data: { reason: 'cancelled', rounds: 1 } },
    ]);
    expect(result.messages).toHaveLength(2);
    const next = await runAgent({ model: modelOf(model, format), input: 'And now?', history: result.messages });
    expect(next.text).toBe('Well.');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(result.text);
  });

  it('before anything was sent has no rounds', async () => {
    const model = await things.scripted([]);
    const traces: TraceEvent[] = [];
    const options = { model: modelOf(model, format), input: 'Go.', signal: AbortSignal.abort() };
    const result = await runAgent({ ...options, onTrace: (event) => traces.push(event) });
    expect(result).toMatchObject({ reason: 'cancelled', rounds: 0 });
    expect(traces.map(({ type }) => type)).toEqual(['run_end']);
    expect(model.requests).toEqual([]);
  });

  it('ends the running script', async () => {
    const tree = createSkillTree({
      'skills/sleepy/SKILL.md': skillText({ name: 'sleepy', description: 'Sleeps.' }),
      'skills/sleepy/sleep.mjs': SLEEPY,
    });
    const controller = new AbortController();
    const ended: string[] = [];
    const skills = things.keep(
      await createSkillsProvider(tree.path('skills'), {
        onEvent(event) {
          if (event.type === 'execution-output') controller.abort();
          if (event.type === 'execution-end') ended.push(event.reason);
        },
      }),
    );
    const model = await things.scripted([
      { calls: [{ name: 'use_skill', arguments: { skill: 'sleepy', script: 'sleep.mjs' } }] },
    ]);
    const result = await runAgent({
      model: modelOf(model, format),
      input: 'Sleep.',
      skills,
      signal: controller.signal,
    });
    expect(result).toMatchObject({ reason: 'cancelled', rounds: 1 });
    expect(ended).toEqual(['cancelled']);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import {
  createSkillsProvider,
  runAgent,
  type AgentTool,
  type TraceEvent,
} from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS, type WireFormatName } from '../../../packages/skillwright/src/spec/wire.ts';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../../packages/skillwright/src/testing/index.ts';
import { proves } from '../../proves.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

async function scripted(script: readonly ScriptedTurn[]): Promise<ScriptedModel> {
  const model = await createScriptedModel({ script });
  open.push(model);
  return model;
}

function modelOf(model: ScriptedModel, format: WireFormatName) {
  return { format, model: 'any', apiKey: 'key', baseUrl: model.baseUrl(format) };
}

const ADD: AgentTool = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  execute: ({ a, b }) => Number(a) + Number(b),
};

describe.each(WIRE_FORMATS)('an agent on %s', (format) => {
  describe.each([true, false])('streaming: %s', (stream) => {
    it("runs calls in parallel, answers each, and ends with the model's text", async () => {
      const model = await scripted([
        {
          text: 'Let me see.',
          calls: [
            { name: 'add', arguments: { a: 1, b: 2 } },
            { name: 'add', arguments: { a: 3, b: 4 } },
          ],
        },
        { text: 'Three and seven.' },
      ]);
      const traces: TraceEvent[] = [];
      const result = await runAgent({
        model: modelOf(model, format),
        input: 'Add.',
        tools: [ADD],
        stream,
        onTrace: (event) => traces.push(event),
      });
      expect(result).toMatchObject({ text: 'Three and seven.', reason: 'end', rounds: 2 });
      expect(result.usage.output).toBeGreaterThan(0);
      expect(traces.map(({ type }) => type)).toEqual(['llm_call', 'tool_call', 'tool_call', 'llm_call', 'run_end']);
    });

    it('continues from its own history', async () => {
      const model = await scripted([
        { calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] },
        { text: 'Three.' },
        { text: 'You are welcome.' },
      ]);
      const options = { model: modelOf(model, format), tools: [ADD], system: 'Be brief.', stream };
      const first = await runAgent({ ...options, input: 'Add 1 and 2.' });
      const second = await runAgent({ ...options, input: 'Thanks.', history: first.messages });
      expect(second).toMatchObject({ text: 'You are welcome.', reason: 'end' });
      expect(second.messages.length).toBeGreaterThan(first.messages.length);
    });

    it('loads and uses skills', async () => {
      proves('S2.goal.model-agnostic', 'S2.goal.model-invoked');
      const model = await scripted([
        { calls: [{ name: 'load_skill', arguments: { skill: 'word-count' } }] },
        { text: 'Loaded.' },
      ]);
      const skills = await createSkillsProvider('./skills');
      open.push(skills);
      const result = await runAgent({ model: modelOf(model, format), input: 'Count words.', skills, stream });
      expect(result).toMatchObject({ text: 'Loaded.', reason: 'end', rounds: 2 });
      // Only the model asked for it.
      const [first, second] = model.requests.map(({ conversation }) => conversation);
      expect(JSON.stringify(first)).not.toContain('# Word count');
      expect(second?.results[0]?.text).toContain('# Word count');
    });
  });
});

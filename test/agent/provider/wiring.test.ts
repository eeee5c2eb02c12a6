import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSkillsProvider, type SkillsProvider } from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../../packages/skillwright/src/testing/index.ts';
import { proves } from '../../proves.ts';
import { DONE, startDiscordModel } from '../discord-conversation.ts';
import { talk } from '../wire-conversation.ts';

const SKILLS = fileURLToPath(new URL('../../fixtures/seed-000/skills', import.meta.url));

async function open(): Promise<SkillsProvider> {
  const skills = await createSkillsProvider(SKILLS);
  onTestFinished(() => skills.close());
  return skills;
}

describe.each(WIRE_FORMATS)("the specification's example in %s", (format) => {
  it.each([false, true])('loads, lists and sends (streamed: %s)', async (stream) => {
    proves('S0.flow.load', 'S0.flow.two-calls', 'S0.goal.three-abilities');
    const [model, skills] = await Promise.all([startDiscordModel(), open()]);
    const session = skills.session();
    const { turn } = await talk(model, { format, stream, session, input: "Send 'Hello World' to #dev" });
    expect(turn.text).toBe(DONE);
    expect(model.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined, undefined]);
    expect(session.loaded).toEqual(['discord']);
  });
});

interface Response {
  readonly id: string;
  readonly status: string;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number };
  readonly output: readonly {
    readonly type: string;
    readonly call_id: string;
    readonly name: string;
    readonly arguments: string;
  }[];
}

async function post(model: ScriptedModel, body: object): Promise<Response> {
  const response = await fetch(`${model.baseUrl('openai-responses')}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
    body: JSON.stringify({ model: 'any', ...body }),
  });
  return (await response.json()) as Response;
}

describe("the specification's manual wiring", () => {
  const myOtherTools = [{ type: 'function', name: 'clock', parameters: { type: 'object', properties: {} } }];

  async function startModel(...script: ScriptedTurn[]): Promise<ScriptedModel> {
    const model = await createScriptedModel({ script });
    onTestFinished(() => model.close());
    return model;
  }

  it('adds skills to your own prompt, list of tools and loop', async () => {
    proves('S0.wiring.manual', 'S0.api.parallel_tool_calls', 'S0.api.previous_response_id', 'S0.api.usage-status');
    const skills = await open();
    const systemPrompt = `You are a helpful assistant.\n\n${skills.systemPrompt}`;
    const allTools = [...myOtherTools, ...skills.tools];
    async function executeToolCall(name: string, args: string): Promise<unknown> {
      if (name === 'load_skill' || name === 'use_skill') {
        return skills.handleToolCall(name, args);
      }
      return 'twelve';
    }
    const model = await startModel(
      {
        calls: [{ name: 'clock' }, { name: 'load_skill', arguments: { skill: 'discord' } }],
        usage: { input: 70, output: 7 },
      },
      { text: 'It is twelve.' },
    );
    const fixed = { instructions: systemPrompt, tools: allTools, parallel_tool_calls: true };
    const first = await post(model, { ...fixed, input: 'What time is it on Discord?' });
    expect(first).toMatchObject({
      status: 'completed',
      usage: { input_tokens: 70, output_tokens: 7, total_tokens: 77 },
    });
    const input = await Promise.all(
      first.output.map(async ({ call_id, name, arguments: args }) => ({
        type: 'function_call_output',
        call_id,
        output: JSON.stringify(await executeToolCall(name, args)),
      })),
    );
    const second = await post(model, { ...fixed, input, previous_response_id: first.id });
    expect(second.status).toBe('completed');
    expect(model.requests[0]?.body).toMatchObject({ parallel_tool_calls: true });
    expect(model.requests[1]?.refusal).toBeUndefined();
    const results = model.requests[1]?.conversation?.results ?? [];
    expect(results.map(({ text }) => text.slice(0, 16))).toEqual(['"twelve"', '"Base directory ']);
  });
});

describe('sdkTools', () => {
  it('are tool() objects with zod schemas that call handleToolCall', async () => {
    proves('S0.provider.sdkTools', 'S0.sdkTools.load_skill', 'S0.sdkTools.use_skill');
    const skills = await open();
    const [load, use] = skills.sdkTools;
    expect([load?.type, load?.function.name, use?.function.name]).toEqual(['function', 'load_skill', 'use_skill']);
    const loading = load?.function.inputSchema.parse({ skill: 'discord' }) ?? {};
    expect(await load?.function.execute(loading)).toBe(await skills.handleToolCall('load_skill', loading));
    expect(load?.function.inputSchema.safeParse({ skill: 7 }).success).toBe(false);
    const listing = { skill: 'discord', script: 'discord.mjs', args: ['channels', 'list'] };
    expect(await use?.function.execute(use.function.inputSchema.parse(listing))).toMatchObject({
      success: true,
      stdout: expect.stringContaining('1234567890  #dev') as string,
    });
    expect(use?.function.inputSchema.safeParse({ ...listing, args: 'channels list' }).success).toBe(false);
    expect(use?.function.inputSchema.safeParse({ skill: 'discord', script: 'discord.mjs' }).success).toBe(true);
  });
});

it('rejects an unknown format', async () => {
  const skills = await open();
  expect(() => skills.toolsFor('openai' as 'openai-chat')).toThrow(/There is no format 'openai'/);
});

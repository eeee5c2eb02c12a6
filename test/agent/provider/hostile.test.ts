import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSkillsProvider,
  type SkillsProvider,
  type SkillsProviderOptions,
} from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS, type WireFormatName } from '../../../packages/skillwright/src/spec/wire.ts';
import {
  createScriptedModel,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../../packages/skillwright/src/testing/index.ts';
import { createSkillTree } from '../../support/skill-tree.ts';
import { talk, type Talked } from '../wire-conversation.ts';

const FILES = {
  'skills/box/SKILL.md': '---\nname: box\ndescription: Has tools.\n---\nCall them.\n',
  'skills/box/tools.json': JSON.stringify([
    {
      name: 'echo',
      description: 'Echoes.',
      script: 'echo.mjs',
      parameters: { text: { type: 'string', description: 'What.' } },
    },
    { name: 'huge', description: 'Answers with 5 MB.', script: 'huge.mjs' },
    { name: 'odd', description: 'Answers with nothing.', script: 'odd.mjs' },
  ]),
  'skills/box/echo.mjs': 'export default ({ text }) => text;',
  'skills/box/huge.mjs': "export default () => 'é'.repeat(2_500_000);",
  'skills/box/odd.mjs': 'export default () => undefined;',
  'skills/box/flood.sh': "head -c 5000000 /dev/zero | tr '\\0' x",
  'skills/box/large.txt': 'line\n'.repeat(1_000_000),
};

async function open(options: SkillsProviderOptions = {}): Promise<SkillsProvider> {
  const root = realpathSync(createSkillTree(FILES).root);
  const skills = await createSkillsProvider(join(root, 'skills'), { cwd: root, ...options });
  onTestFinished(() => skills.close());
  return skills;
}

async function play(...script: ScriptedTurn[]): Promise<ScriptedModel> {
  const model = await createScriptedModel({ script });
  onTestFinished(() => model.close());
  return model;
}

const WAYS: readonly (readonly [WireFormatName, string, boolean])[] = WIRE_FORMATS.flatMap((format) => [
  [format, 'whole', false] as const,
  [format, 'streamed', true] as const,
]);

/** Plays the turns and an end, and checks that the strict server refused nothing. */
async function survive(
  format: WireFormatName,
  stream: boolean,
  ...turns: ScriptedTurn[]
): Promise<Talked & { model: ScriptedModel }> {
  const model = await play(...turns, { text: 'Done.' });
  const session = (await open()).session();
  const talked = await talk(model, { format, stream, session, input: 'Go on.' });
  expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  expect(talked.turn).toMatchObject({ text: 'Done.', stop: 'end' });
  return { ...talked, model };
}

describe.each(WAYS)('a conversation in %s, %s, stays valid', (format, _way, stream) => {
  it.each<[string, ScriptedCall, string]>([
    ['a missing tool', { name: 'ehco', arguments: {} }, "Did you mean 'echo'?"],
    ['a missing skill', { name: 'load_skill', arguments: { skill: 'bxo' } }, "Did you mean 'box'?"],
    ['arguments of wrong types', { name: 'load_skill', arguments: { skill: ['box'] } }, 'InvalidArguments'],
    ['missing arguments', { name: 'use_skill', arguments: { skill: 'box' } }, "'script' is missing"],
    ['no arguments', { name: 'load_skill' }, "'skill' is missing"],
  ])('with %s', async (_what, call, words) => {
    const { model } = await survive(format, stream, { calls: [call] });
    expect(model.requests[1]?.conversation?.results).toMatchObject([
      { text: expect.stringContaining(words) as string },
    ]);
  });

  it('with unexpected arguments', async () => {
    const { model } = await survive(format, stream, {
      calls: [{ name: 'load_skill', arguments: { skill: 'box', surprise: { deep: [1] } } }],
    });
    expect(model.requests[1]?.conversation?.results[0]?.text).toContain('Call them.');
  });

  it('with two calls of the same id, and with calls without an id', async () => {
    const call = (text: string, id: string | null): ScriptedCall => ({ name: 'echo', arguments: { text }, id });
    const { model } = await survive(
      format,
      stream,
      { calls: [call('one', 'call_same'), call('two', 'call_same')] },
      { calls: [call('three', null), call('four', null)] },
    );
    const texts = model.requests.map(({ conversation }) => conversation?.results.map(({ text }) => text));
    expect(texts).toEqual([[], ['one', 'two'], ['three', 'four']]);
  });

  it('with 200 calls at once', async () => {
    const words = Array.from({ length: 200 }, (_, index) => `word ${index}`);
    const { model } = await survive(format, stream, {
      calls: words.map((text) => ({ name: 'echo', arguments: { text } })),
    });
    expect(model.requests[1]?.conversation?.results.map(({ text }) => text)).toEqual(words);
  });

  it('with results of 5 MB, and with an empty result', async () => {
    const { model } = await survive(format, stream, {
      calls: [
        { name: 'huge' },
        { name: 'use_skill', arguments: { skill: 'box', script: 'flood.sh' } },
        { name: 'read_skill_file', arguments: { skill: 'box', path: 'large.txt' } },
        { name: 'odd' },
      ],
    });
    const results = model.requests[1]?.conversation?.results ?? [];
    expect(results).toHaveLength(4);
    expect(results[1]?.text).toContain('[output truncated]');
    expect(Math.max(...results.map(({ text }) => text.length))).toBeLessThan(1_500_000);
  });
});

describe.each(WIRE_FORMATS)('a broken stream in %s', (format) => {
  const calls = [{ name: 'echo', arguments: { text: 'Größe: 「長い」文章です。🙂 '.repeat(20) } }];
  const text = 'Ich höre zu und schreibe etwas auf … 🌍 '.repeat(3);
  // Gemini sends a call in one frame.
  const beforeArguments = format === 'gemini' ? 0 : 4;

  it.each<[string, ScriptedTurn]>([
    ['in the middle of arguments', { calls, fault: { type: 'cut', afterFrames: beforeArguments, within: 'frame' } }],
    ['in the middle of a character', { text, calls, fault: { type: 'cut', afterFrames: 1, within: 'character' } }],
    ['like a complete stream, but too early', { text, calls, fault: { type: 'cut', afterFrames: 3, by: 'end' } }],
    ['before it began', { text, calls, fault: { type: 'status', status: 529 } }],
  ])('is retried with an unchanged history when it ends %s', async (_where, turn) => {
    const { model, outcomes } = await survive(format, true, turn, { calls });
    expect(model.requests).toHaveLength(3);
    expect(model.requests[1]?.text).toBe(model.requests[0]?.text);
    expect(outcomes.size).toBe(1);
  });
});

describe('malformed arguments', () => {
  it.each(['{"text": "Kö', 'not JSON', '[1]', 'null', '"text"', '{"text": 5}', '{"__proto__": {"text": 1}}'])(
    'such as %s are answered so that the model can try again',
    async (argumentsText) => {
      for (const format of ['openai-chat', 'openai-responses'] as const) {
        const { model } = await survive(format, true, { calls: [{ name: 'echo', argumentsText }] });
        expect(model.requests[1]?.conversation?.results[0]?.text).toMatch(
          /InvalidArguments|are invalid|takes an object/,
        );
      }
    },
  );

  it('end a Gemini turn with an error, and the round is retried', async () => {
    const { outcomes } = await survive('gemini', true, { calls: [{ name: 'echo', argumentsText: '{"text": "Kö' }] });
    expect(outcomes.size).toBe(0);
  });

  it('are quoted only up to a limit', async () => {
    const skills = await open();
    const long = 'x'.repeat(5_000_000);
    for (const [name, args] of [
      ['load_skill', { skill: long }],
      ['use_skill', { skill: 'box', script: long }],
      ['read_skill_file', { skill: 'box', path: long }],
      [long, {}],
      ['load_skill', `{"skill": "${long}`],
      ['echo', { text: 1, [long]: 1 }],
    ] as const) {
      const { text, isError } = await skills.execute(name, args);
      expect({ isError, isShort: text.length < 10_000 }).toEqual({ isError: true, isShort: true });
    }
  });
});

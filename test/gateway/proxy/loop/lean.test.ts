import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../../packages/skillwright/src/spec/wire.ts';
import { WIRE_FORMATS } from '../../../../packages/skillwright/src/spec/wire.ts';
import type { RecordedRequest, ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { createSkillTree } from '../../../support/skill-tree.ts';
import { createLoopClient, KINDS } from './loop-client.ts';
import { SAMPLE_SKILLS, startLoop, type Loop } from './loop-gateway.ts';

const TASK = 'Count the words of "one two three".';
const DONE: ScriptedTurn = { text: 'Done.' };
const LOAD: ScriptedTurn = { calls: [{ name: 'load_skill', arguments: { skill: 'word-count' } }] };
/** A limit at which no skill's own tools are offered. */
const LEAN = { skills: SAMPLE_SKILLS, limits: { skillToolBytes: 0 } };
/** The most bytes that one skill may add to a request. */
const LIMIT = 2_500;

function using(args: Readonly<Record<string, unknown>>): ScriptedTurn {
  return { calls: [{ name: 'use_skill', arguments: args }] };
}

function countWith(given: unknown): ScriptedTurn {
  return using({ skill: 'word-count', tool: 'count_words', arguments: given });
}

function toolsOf(request: RecordedRequest | undefined): readonly string[] {
  return request?.conversation?.tools.map(({ name }) => name) ?? [];
}

function lastResult({ model }: Loop): string {
  expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  return model.requests.at(-1)?.conversation?.results.at(-1)?.text ?? '';
}

function bytesOf({ body }: Pick<RecordedRequest, 'body'>): number {
  return Buffer.byteLength(JSON.stringify(body));
}

describe.each(KINDS)('a skill whose tools are not offered, in $format, streaming: $stream', (kind) => {
  it('lists its tools when it is loaded, and use_skill calls them, while the offered tools stay the same', async () => {
    const script = [LOAD, countWith('{"text":"one two three"}'), DONE, countWith({ text: 'four five' }), DONE];
    const loop = await startLoop({ model: { script }, config: LEAN });
    const client = createLoopClient({ url: loop.url, ...kind });
    const { turn, raw, headers } = await client.say(TASK);
    expect(turn).toMatchObject({ text: 'Done.', calls: [] });
    expect(raw).not.toMatch(/use_skill|count_words/);
    expect(headers.get('x-skillwright-ran')).toBe(kind.stream ? null : 'load_skill, count_words');
    await client.say('And "four five"?');
    const results = loop.model.requests.map(({ conversation }) => conversation?.results.at(-1)?.text ?? '');
    expect(results[1]).toContain('Tools of this skill, which you call with use_skill:\n- count_words: ');
    expect(results[2]).toContain('"words":3');
    expect(results[4]).toContain('"words":2');
    expect(toolsOf(loop.model.requests[0])).toContain('use_skill');
    expect(toolsOf(loop.model.requests[0])).not.toContain('count_words');
    for (const { body } of loop.model.requests) expect(body['tools']).toEqual(loop.model.requests[0]?.body['tools']);
    const { data } = await loop.gateway.executor.listExecutions({}, { page: 1, limit: 10 });
    expect(data).toMatchObject(
      ['four five', 'one two three'].map((text) => ({
        skillName: 'word-count',
        status: 'success',
        input: { tool: 'count_words', arguments: { text } },
      })),
    );
  });

  it('runs its tools even if the model calls them directly, and hides that from the client', async () => {
    const script = [{ calls: [{ name: 'count_words', arguments: { text: 'one two three' } }] }, DONE];
    const loop = await startLoop({ model: { script }, config: LEAN });
    const { turn, raw } = await createLoopClient({ url: loop.url, ...kind }).say(TASK);
    expect(turn).toMatchObject({ text: 'Done.', calls: [] });
    expect(raw).not.toContain('count_words');
    expect(lastResult(loop)).toContain('"words":3');
  });

  it('does not take over a client’s tool that has the name of its own', async () => {
    const own: ToolDefinition = {
      name: 'count_words',
      description: 'The client counts.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    };
    const script = [
      { calls: [{ name: 'count_words', arguments: { text: 'theirs' } }] },
      countWith({ text: 'ours' }),
      DONE,
    ];
    const loop = await startLoop({ model: { script }, config: LEAN });
    const client = createLoopClient({ url: loop.url, ...kind, tools: [own] });
    const { turn, headers } = await client.say(TASK);
    expect(headers.get('x-skillwright-skipped')).toBeNull();
    expect(turn.calls.map(({ name }) => name)).toEqual(['count_words']);
    expect((await client.answer('1')).turn.text).toBe('Done.');
    expect(lastResult(loop)).toContain('"words":1');
  });

  it('waits for approval like any other skill', async () => {
    const script = [countWith({ text: 'one two' }), DONE, countWith({ text: 'one two' }), DONE];
    const loop = await startLoop({ model: { script }, config: LEAN });
    const { registry, approvals } = loop.gateway;
    const [skill] = await registry.getSkillVersions('word-count');
    await registry.update(skill?.id ?? '', { policy: 'hybrid' });
    const client = createLoopClient({ url: loop.url, ...kind });
    await client.say(TASK);
    expect(lastResult(loop)).toContain('ApprovalRequired');
    const { data } = await approvals.list({ status: 'pending' }, { page: 1, limit: 10 });
    expect(data).toMatchObject([
      { skillName: 'word-count', input: { tool: 'count_words', arguments: { text: 'one two' } } },
    ]);
    await approvals.decide(data[0]?.id ?? '', 'allow', { scope: 'once', by: null });
    await client.say('Again: count the words.');
    expect(lastResult(loop)).toContain('"words":2');
  });
});

describe('the tools of skills that a request offers', () => {
  it('are those of a skill that clearly fits, and no others', async () => {
    const loop = await startLoop({ model: { script: [DONE, DONE] }, config: { skills: SAMPLE_SKILLS } });
    const ask = (text: string): Promise<{ readonly headers: Headers }> =>
      createLoopClient({ url: loop.url, format: 'openai-chat', stream: false }).say(text);
    await ask('Count the words of this text.');
    const unsure = await ask('Write a poem about words.');
    expect(toolsOf(loop.model.requests[0])).toContain('count_words');
    expect(unsure.headers.get('x-skillwright-injected')).toContain('word-count');
    expect(toolsOf(loop.model.requests[1])).not.toContain('count_words');
  });

  it('do not change when a skill that the conversation already has fits better later', async () => {
    const loop = await startLoop({ model: { script: [DONE, DONE] }, config: { skills: SAMPLE_SKILLS } });
    const client = createLoopClient({ url: loop.url, format: 'openai-chat', stream: false });
    await client.say('Write a poem about words.');
    await client.say('Count the words of this text.');
    const [first, second] = loop.model.requests;
    expect(toolsOf(second)).toEqual(toolsOf(first));
  });

  it('stay when a later message of the conversation fits no skill', async () => {
    const loop = await startLoop({ model: { script: [DONE, DONE] }, config: { skills: SAMPLE_SKILLS } });
    const client = createLoopClient({ url: loop.url, format: 'openai-chat', stream: false });
    await client.say('Count the words of this text.');
    await client.say('Thank you!');
    const [first, second] = loop.model.requests;
    expect(toolsOf(first)).toContain('count_words');
    expect(second?.body['tools']).toEqual(first?.body['tools']);
  });

  it('are left out if the skill has too many, and load_skill lists them instead', async () => {
    const script = [{ calls: [{ name: 'load_skill', arguments: { skill: 'calendar-calculator' } }] }, DONE];
    const loop = await startLoop({ model: { script }, config: { skills: SAMPLE_SKILLS } });
    const headers = { 'x-skillwright-skills': 'calendar-calculator' };
    await createLoopClient({ url: loop.url, format: 'openai-chat', stream: false, headers }).say('When is Easter?');
    expect(toolsOf(loop.model.requests[0])).toEqual(['load_skill', 'use_skill']);
    expect(lastResult(loop)).toContain('- weekday_of: ');
  });

  it('include read_skill_file only for a skill with files to read', async () => {
    const loop = await startLoop({ model: { script: [DONE, DONE] }, config: { skills: SAMPLE_SKILLS } });
    for (const skill of ['code-review', 'tool-call-error-recovery']) {
      const headers = { 'x-skillwright-skills': skill };
      await createLoopClient({ url: loop.url, format: 'openai-chat', stream: false, headers }).say('Hello.');
    }
    expect(loop.model.requests.map(toolsOf)).toEqual([['load_skill', 'read_skill_file'], ['load_skill']]);
  });
});

describe.each(WIRE_FORMATS)('what one skill adds to a request in %s', (format) => {
  it(`is at most ${LIMIT} bytes for every sample skill`, async () => {
    const loop = await startLoop({
      model: { script: Array.from({ length: 20 }, () => DONE) },
      config: { skills: SAMPLE_SKILLS },
    });
    const names = loop.gateway.skills.snapshot.skills.map(({ name }) => name);
    const bytesWith = async (headers: Record<string, string>): Promise<number> => {
      await createLoopClient({ url: loop.url, format, stream: false, headers }).say('Hello.');
      return loop.model.requests.map(bytesOf).at(-1) ?? 0;
    };
    const bare = await bytesWith({ 'x-skillwright-mode': 'off' });
    const added: Record<string, number> = {};
    for (const name of names) added[name] = (await bytesWith({ 'x-skillwright-skills': name })) - bare;
    expect(names).toHaveLength(9);
    for (const name of names) {
      expect(added[name], name).toBeGreaterThan(500);
      expect(added[name], name).toBeLessThanOrEqual(LIMIT);
    }
  });
});

describe('a wrong call of use_skill', () => {
  const FILES = {
    'reader/SKILL.md': '---\nname: reader\ndescription: Reads words.\nallowed-tools: Read\n---\nOnly read.\n',
    'shouter/SKILL.md': '---\nname: shouter\ndescription: Shouts words.\n---\nCall shout.\n',
    'shouter/tools.json': JSON.stringify([
      { name: 'shout', description: 'Shouts.', script: 'shout.mjs', parameters: { text: { type: 'string' } } },
    ]),
    'shouter/shout.mjs': 'export default ({ text }) => text.toUpperCase();',
    'hidden/SKILL.md': '---\nname: hidden\ndescription: Whispers words.\n---\nCall whisper.\n',
    'hidden/tools.json': JSON.stringify([
      { name: 'whisper', description: 'Whispers.', script: 'w.mjs', parameters: { text: { type: 'string' } } },
    ]),
    'hidden/w.mjs': 'export default ({ text }) => text.toLowerCase();',
  };
  const headers = { 'x-skillwright-skills': 'reader, shouter' };

  async function answersTo(...calls: readonly Readonly<Record<string, unknown>>[]): Promise<readonly string[]> {
    const script = [...calls.map(using), DONE];
    const skills = [createSkillTree(FILES).root];
    const loop = await startLoop({ model: { script }, config: { skills, limits: { skillToolBytes: 0 } } });
    const client = createLoopClient({ url: loop.url, format: 'openai-chat', stream: true, headers });
    expect((await client.say('Words.')).turn).toMatchObject({ text: 'Done.', calls: [] });
    return loop.model.requests.slice(1).map(({ conversation }) => conversation?.results.at(-1)?.text ?? '');
  }

  it('gets an error that names the mistake, and the turn goes on', async () => {
    const answers = await answersTo(
      { skill: 'nobody', tool: 'shout', arguments: { text: 'a' } },
      { skill: 'hidden', tool: 'whisper', arguments: { text: 'a' } },
      { skill: 'shouter', tool: 'whisper', arguments: { text: 'a' } },
      { skill: 'shouter', tool: 'use_skill', arguments: { skill: 'shouter', tool: 'shout' } },
      { skill: 'shouter', tool: 'shout', arguments: { text: 7 } },
      { skill: 'shouter', tool: 'shout', arguments: '{"text":' },
      { skill: 'shouter', tool: 'shout', script: 'shout.mjs', arguments: { text: 'a' } },
      { skill: 'shouter' },
      { skill: 'shouter', tool: 'shout', arguments: '{"text":"fine"}' },
    );
    const expected = [
      "SkillNotFound: Skill 'nobody' not found",
      "SkillNotFound: Skill 'hidden' not found",
      "ToolNotFound: Skill 'shouter' has no tool 'whisper'.",
      "ToolNotFound: Skill 'shouter' has no tool 'use_skill'.",
      "'text' must be string",
      'not valid JSON',
      "either 'script' or 'tool', not both",
      "'script' is missing",
      'FINE',
    ];
    expect(answers).toHaveLength(expected.length);
    for (const [place, words] of expected.entries()) expect(answers[place]).toContain(words);
    expect(answers.join()).not.toContain('whispers');
  });

  it('cannot evade the restriction of a loaded skill', async () => {
    const script: ScriptedTurn[] = [
      { calls: [{ name: 'load_skill', arguments: { skill: 'reader' } }] },
      using({ skill: 'shouter', tool: 'shout', arguments: { text: 'a' } }),
      { calls: [{ name: 'shout', arguments: { text: 'a' } }] },
      DONE,
    ];
    const skills = [createSkillTree(FILES).root];
    const loop = await startLoop({ model: { script }, config: { skills, limits: { skillToolBytes: 0 } } });
    await createLoopClient({ url: loop.url, format: 'openai-chat', stream: false, headers }).say('Words.');
    const results = loop.model.requests.slice(2).map(({ conversation }) => conversation?.results.at(-1)?.text);
    for (const text of results) expect(text).toContain("ToolRestricted: Tool 'shout' not allowed for skill 'reader'.");
    expect(await loop.gateway.executor.countExecutions({})).toBe(0);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSkillsProvider, type SkillsProvider } from '../../packages/skillwright/src/index.ts';
import { createDemoModel } from '../../packages/skillwright/src/models/demo/demo-model.ts';
import { WIRE_FORMATS, type WireBody } from '../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';
import { ask, talk } from './demo-conversation.ts';

const SKILLS = fileURLToPath(new URL('../../skills', import.meta.url));
const signal = new AbortController().signal;

let skills: SkillsProvider;
let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillwright-demo-'));
  await writeFile(join(cwd, 'sales.csv'), 'city,temp\nOslo,4\nCairo,31\n');
  await writeFile(join(cwd, 'notes.txt'), 'one two three\n');
  skills = await createSkillsProvider(SKILLS, { cwd });
});

afterAll(async () => {
  await skills.close();
  await rm(cwd, { recursive: true });
});

describe.each(WIRE_FORMATS)('the demo model in %s', (format) => {
  it.each([false, true])('loads a skill, makes its call and reports the result (streamed: %s)', async (stream) => {
    const input = 'How many words does "to be or not to be" have?';
    const { texts, calls } = await talk(createDemoModel({ format }), skills.session(), { input, stream });
    expect(calls).toEqual([
      { name: 'load_skill', arguments: { skill: 'word-count' } },
      { name: 'count_words', arguments: { text: 'to be or not to be' } },
    ]);
    expect(texts[0]).toMatch(/^This is a demo that follows rules, not a language model\./);
    expect(texts.slice(1).join('\n')).not.toContain('language model');
    expect(texts.at(-1)).toContain('The tool `count_words` answered words: 6,');
  });

  it.each([
    ['statistics of a table in a file', 'Give me statistics of sales.csv', { path: 'sales.csv' }],
    [
      'statistics of a table in the message',
      'What is the average temperature in this CSV?\n```csv\ncity,temp\nOslo,4\nCairo,31\n```',
      { csv: 'city,temp\nOslo,4\nCairo,31\n' },
    ],
  ])('gives %s', async (_name, input, args) => {
    const { texts, calls } = await talk(createDemoModel({ format }), skills.session(), { input, stream: true });
    expect(calls[1]).toEqual({ name: 'csv_stats', arguments: args });
    expect(texts.at(-1)).toContain('mean: 17.5');
  });
});

describe('the demo model', () => {
  it.each([
    [
      'How many days are between 2024-01-31 and 2024-03-01?',
      'date_difference',
      { start: '2024-01-31', end: '2024-03-01' },
      'days: 30,',
    ],
    ['What weekday is 16 November 2026?', 'weekday_of', { date: '2026-11-16' }, 'weekday: Monday'],
    ['What date is 30 days before 2026-01-15?', 'add_to_date', { date: '2026-01-15', days: -30 }, 'result: 2025-12-16'],
    [
      'Which date is 10 business days after 2026-12-21?',
      'business_days',
      { start: '2026-12-21', add: 10 },
      'result: 2027-01-04',
    ],
    [
      'What changed between "red" and "blue"?',
      'diff_text',
      { before: 'red', after: 'blue' },
      'identical: false, added: 1, removed: 1',
    ],
    [
      'How many words are in notes.txt?',
      'use_skill',
      { skill: 'word-count', script: 'scripts/count.mjs', args: ['notes.txt'] },
      'notes.txt\n',
    ],
  ])('answers: %s', async (input, name, args, said) => {
    const { texts, calls } = await talk(createDemoModel(), skills.session(), { input, stream: false });
    expect(calls[1]).toEqual({ name, arguments: args });
    expect(texts.at(-1)).toContain(said);
  });

  it('says that no skill fits, and lists the skills', async () => {
    const { texts, calls } = await talk(createDemoModel(), skills.session(), { input: 'Bake a cake', stream: false });
    expect(calls).toEqual([]);
    expect(texts).toEqual([
      expect.stringMatching(/not a language model\. No skill fits your task\. There are `calendar-calculator`, /),
    ]);
  });

  it('asks for missing values instead of making them up', async () => {
    const input = 'Count the words of my text';
    const { texts, calls } = await talk(createDemoModel(), skills.session(), { input, stream: false });
    expect(calls.map(({ name }) => name)).toEqual(['load_skill']);
    expect(texts.at(-1)).toContain('the tool `count_words`, which needs `text`, and your message does not give that');
  });

  it('follows instructions that it has already loaded without loading them again', async () => {
    const model = createDemoModel();
    const session = skills.session();
    const first = await talk(model, session, { input: 'How many words has "a b"?', stream: false });
    const history = [...(first.body.messages as object[]), { role: 'user', content: 'How many words has "a b c"?' }];
    const second = await talk(model, session, { input: history, stream: false });
    expect(second.calls).toEqual([{ name: 'count_words', arguments: { text: 'a b c' } }]);
    expect(second.texts.join('\n')).not.toContain('language model');
  });

  it('is marked as not an LLM, and has the requested name', async () => {
    const model = createDemoModel({ model: 'rules' });
    expect(model).toMatchObject({ isDemo: true, model: 'rules', format: 'openai-chat' });
    expect((await ask(model, { messages: [{ role: 'user', content: 'Hi' }] }, false)).model).toBe('rules');
  });

  it('remembers responses that later requests refer to, and rejects unknown ones', async () => {
    const model = createDemoModel({ format: 'openai-responses' });
    const tools = wireFormat('openai-responses').encodeTools([
      {
        name: 'load_skill',
        description: '',
        inputSchema: { type: 'object', properties: { skill: { enum: ['zip'] } } },
      },
    ]);
    const first = await ask(model, { input: 'Use the zip skill', tools }, true);
    const answer = { type: 'function_call_output', call_id: first.calls[0]?.id, output: 'Zip by hand.' };
    const second = await ask(model, { previous_response_id: first.id, input: [answer], tools }, false);
    expect(second.text).toBe(
      'The instructions of `zip` show no call that rules can make; a language model would read and follow them.',
    );
    const body: WireBody = { previous_response_id: 'resp_of_somebody_else', input: [answer] };
    expect(await model.send({ body, stream: true, signal })).toMatchObject({
      ok: false,
      failure: { kind: 'status', isPassing: false, answer: { status: 400 } },
    });
  });
});

describe('a cancelled request to the demo model', () => {
  const body: WireBody = { messages: [{ role: 'user', content: 'Hello' }] };

  it('is a failure if it was cancelled before', async () => {
    expect(await createDemoModel().send({ body, stream: false, signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      failure: { kind: 'cancelled', isPassing: false },
    });
  });

  it('ends the stream, also while it waits', async () => {
    const abort = new AbortController();
    const reply = await createDemoModel({ frameDelayMs: 1 }).send({ body, stream: true, signal: abort.signal });
    if (!reply.ok) throw new RangeError(reply.failure.message);
    const chunks = reply.chunks[Symbol.asyncIterator]();
    expect((await chunks.next()).done).toBe(false);
    const waiting = chunks.next();
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'RequestCancelled' });
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });
});

describe('options of the demo model', () => {
  it.each([{ format: 'cobol' as never }, { frameDelayMs: -1 }, { frameDelayMs: Number.NaN }])(
    'are refused if they make no sense: %o',
    (options) => {
      expect(() => createDemoModel(options)).toThrow(expect.objectContaining({ code: 'InvalidOptions' }));
    },
  );
});

import { describe, expect, it } from 'vitest';
import { createMemorySource, SkillLoader } from '../../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../../packages/skillwright/src/host.ts';
import { skillText } from '../../support/skill-tree.ts';

/** A loader over skills in memory, by directory; `group/skill` nests. */
function openLoader(skills: Readonly<Record<string, string>>): SkillLoader {
  const memory = Object.entries(skills).map(([directory, text]) => ({ directory, files: { 'SKILL.md': text } }));
  return new SkillLoader({ catalog: createRuntime({ sources: [createMemorySource(memory)] }).catalog });
}

const names = (skills: readonly { readonly name: string }[]): string[] => skills.map(({ name }) => name);

const HONEST = skillText({
  name: 'invoice-reader',
  description: 'Reads invoices and extracts totals, dates and tax numbers.',
  triggers: '[task_match, tool_call_error]',
  tags: '[invoice, tax]',
});

const BAD_TASKS: readonly [string, string][] = [
  ['an empty text', ''],
  ['white space', ' \n\t '],
  ['emoji', '🚀🔥👩‍👩‍👧‍👦'],
  ['special characters of patterns', '.*+?^${}()|[]\\ (?<=a) [[ ]] (((('],
  ['lone surrogates', '\ud800 \udc00\ud800'],
  ['control characters', '\u0000\u0001\u202e'],
  ['a word of a megabyte', 'x'.repeat(1_000_000)],
  ['a megabyte of other words', 'lorem ipsum dolor '.repeat(60_000)],
];

describe('a loader', () => {
  it.each(BAD_TASKS)('finds nothing for %s, as a task or as a command', async (_, text) => {
    const loader = openLoader({ 'invoice-reader': HONEST });
    expect(await loader.findSkills('task_match', { taskDescription: text })).toEqual([]);
    expect(await loader.findSkills('explicit_command', { command: text })).toEqual([]);
    expect(names(await loader.findSkills('tool_call_error', { error: text }))).toEqual(['invoice-reader']);
  });

  it('finds the skill that a command names before a megabyte of arguments', async () => {
    const loader = openLoader({ 'invoice-reader': HONEST });
    const command = `/invoice-reader ${'lorem ipsum dolor '.repeat(60_000)}`;
    expect(names(await loader.findSkills('explicit_command', { command }))).toEqual(['invoice-reader']);
  });

  it.each(['__proto__', 'constructor', 'toString', '.*', '(((', '🔥', 'x'.repeat(1_000_000)])(
    'finds no skill for the trigger %.20s',
    async (trigger) => {
      const loader = openLoader({ 'invoice-reader': HONEST });
      expect(await loader.findSkills(trigger, { taskDescription: 'read the invoices' })).toEqual([]);
    },
  );

  it('does not prefer a skill that repeats every keyword a thousand times', async () => {
    const keywords = 'invoice invoices totals dates tax numbers reader extracts reads pdf error path';
    const stuffed = skillText({
      name: 'stuffed',
      description: `${keywords} `.repeat(1_000),
      triggers: '[task_match, tool_call_error]',
      tags: `[${`${keywords} `.repeat(1_000).trim().split(' ').join(', ')}]`,
    });
    const loader = openLoader({ 'invoice-reader': HONEST, stuffed });
    const taskDescription = 'extract the totals from these invoices';
    expect(names(await loader.findSkills('task_match', { taskDescription }))[0]).toBe('invoice-reader');
    const context = { toolName: 'InvoiceTool_read', error: 'the tax field of the invoice is missing' };
    expect(names(await loader.findSkills('tool_call_error', context))).toEqual(['invoice-reader', 'stuffed']);
  });

  it('treats ten thousand skills of one name in different groups as one, and reaches each by its group', async () => {
    const groups = Array.from({ length: 10_000 }, (_, index) => `group-${String(index).padStart(5, '0')}`);
    const report = skillText({ name: 'report', description: 'Write the weekly report for the board meeting.' });
    const loader = openLoader(Object.fromEntries(groups.map((group) => [`${group}/report`, report])));
    expect(await loader.indexSkills()).toHaveLength(1);
    const taskDescription = 'write the weekly report for the board meeting';
    const found = await loader.findSkills('task_match', { taskDescription });
    expect(found.map(({ qualifiedName }) => qualifiedName)).toEqual(['group-00000:report']);
    const last = await loader.loadSkill('group-09999:report');
    expect(last.metadata.qualifiedName).toBe('group-09999:report');
  });
});

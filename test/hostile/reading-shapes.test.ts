import { describe, expect, it } from 'vitest';
import { discoverHostile, type HostileDiscovery } from '../support/hostile-discovery.ts';
import { createSkillTree } from '../support/skill-tree.ts';

function discover(content: string): Promise<HostileDiscovery> {
  return discoverHostile(createSkillTree({ 'skills/subject/SKILL.md': content }));
}

const describedAs = ({ skills }: HostileDiscovery): string | undefined =>
  skills.find(({ directoryName }) => directoryName === 'subject')?.description;
const codesOf = ({ diagnostics }: HostileDiscovery): string[] => diagnostics.map(({ code }) => code);

describe('a description that is a mapping', () => {
  it('may have ten thousand keys', async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `  key ${index}: v`).join('\n');
    const result = await discover(`---\nname: subject\ndescription:\n${lines}\n---\nText.`);
    expect(describedAs(result)).toMatch(/^key 0: v key 1: v .* key 9999: v$/);
    expect(codesOf(result)).toEqual(['field-type', 'description-long']);
  });

  it.each([
    ['mappings', '{a: '.repeat(50), '}'.repeat(50)],
    ['lists', '['.repeat(50), ']'.repeat(50)],
  ])('may be nested deeply in %s', async (_what, open, close) => {
    const result = await discover(`---\ndescription: ${open}deep${close}\n---\nText.`);
    expect(describedAs(result)).toMatch(/deep$/);
  });

  it.each(['{a: ', '['])('is text if it nests beyond the limit of YAML: %s', async (unit) => {
    const result = await discover(`---\nname: subject\ndescription: ${unit.repeat(20_000)}\n---\nText.`);
    expect(describedAs(result)).toBeTypeOf('string');
  });

  it('keeps the names of prototypes as text', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const lines = names.map((name) => `  ${name}: x`).join('\n');
    const result = await discover(`---\nname: subject\ndescription:\n${lines}\n---\nText.`);
    expect(describedAs(result)).toBe(names.map((name) => `${name}: x`).join(' '));
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('does not repeat a long text by aliases', async () => {
    const aliases = Array.from({ length: 5_000 }, () => '  - *long').join('\n');
    const text = `---\nname: subject\nlong: &long ${'x'.repeat(50_000)}\ndescription:\n${aliases}\n---\nText.`;
    const result = await discover(text);
    expect(codesOf(result)).toContain('yaml-bomb');
    expect(describedAs(result)?.length).toBeLessThan(100_000);
  });
});

describe('the markers of a merge conflict', () => {
  it.each<[string, string]>([
    ['alone', '<<<<<<< a\n=======\n>>>>>>> b\n'],
    ['alone in frontmatter', '---\n<<<<<<< a\n=======\n>>>>>>> b\n---\nText.'],
    ['repeated a thousand times', `---\nname: subject\n${'<<<<<<< a\n'.repeat(1_000)}---\nText.`],
    ['repeated a thousand times before the frontmatter', `${'<<<<<<< a\n'.repeat(1_000)}---\ndescription: x\n---\n`],
    ['around a huge side', `<<<<<<< a\n---\ndescription: x\n---\n${'y\n'.repeat(50_000)}=======\n>>>>>>> b`],
    ['around both ends of the frontmatter', '---\n<<<<<<< a\ndescription: x\n---\n=======\n---\n>>>>>>> b\nText.'],
    ['with a byte that is not UTF-8', '<<<<<<< a\n---\ndescription: \u00ff\n---\n'],
  ])('are reported at most once, and never start the description: %s', async (_what, content) => {
    const result = await discover(content);
    expect(codesOf(result).filter((code) => code === 'merge-conflict').length).toBeLessThanOrEqual(1);
    expect(describedAs(result) ?? '').not.toMatch(/^[<=>]{7}/);
  });

  it('are not reported if a skill shows them in a code block', async () => {
    const block = '```\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n```';
    const result = await discover(`---\nname: subject\ndescription: Resolves conflicts.\n---\n${block}\n`);
    expect(result.diagnostics).toEqual([]);
    const bare = await discover(`Resolves conflicts.\n\n${block}\n`);
    expect(describedAs(bare)).toBe('Resolves conflicts.');
    expect(codesOf(bare)).not.toContain('merge-conflict');
  });
});

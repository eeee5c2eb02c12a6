import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SkillManager, type SkillwrightEvent } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree, goodSkill, type SkillTree } from '../support/skill-tree.ts';

function open(tree: SkillTree, limits = {}): { manager: SkillManager; loads: () => unknown[] } {
  const events: SkillwrightEvent[] = [];
  const manager = new SkillManager({ cwd: tree.root, limits, onEvent: (event) => events.push(event) });
  const loads = (): unknown[] =>
    events.flatMap((event) => (event.type === 'skill-load' ? [`${event.skill}${event.cached ? ' cached' : ''}`] : []));
  return { manager, loads };
}

const text = (body: string): string => `---\nname: one\ndescription: One.\n---\n${body}`;

describe('the body of a skill', () => {
  it('is not read by discovery', async () => {
    proves('S2.FR-3.3.lazy', 'S2.FR-3.1.lightweight', 'S2.goal.disclosure');
    const body = `Secret instructions. ${'x'.repeat(10_000)}`;
    const tree = createSkillTree({ 'skills/one/SKILL.md': text(body), 'skills/one/reference.md': 'Reference text.' });
    const { manager, loads } = open(tree);
    const { skills } = await manager.discover();
    expect(JSON.stringify(skills)).not.toContain('Secret instructions');
    expect(loads()).toEqual([]);
    // The skill has the content that was written after discovery: nothing was read ahead of time.
    tree.write({ 'skills/one/SKILL.md': text('Written later.'), 'skills/one/reference.md': 'Reference, later.' });
    expect((await manager.loadSkill('one')).content).toBe('Written later.');
    expect(await manager.readFile('one', 'reference.md')).toBe('Reference, later.');
    expect(loads()).toEqual(['one']);
  });

  it('may have any content, which is not read before the skill is loaded', () => {
    const tree = createSkillTree({
      'skills/one/SKILL.md': Buffer.concat([Buffer.from(text('x'.repeat(5_000))), Buffer.from([0xff])]),
    });
    const { manager } = open(tree);
    expect(manager.discoverSync()).toMatchObject({ skills: [{ name: 'one' }], diagnostics: [] });
    expect(() => manager.loadSkillSync('one')).toThrow(/not valid UTF-8.* byte 5036/);
  });

  it('is an error of its skill alone if the file is gone when the skill is loaded', async () => {
    proves('S2.EH-1.invocation');
    const tree = createSkillTree({ 'skills/one/SKILL.md': goodSkill('one'), 'skills/two/SKILL.md': goodSkill('two') });
    const { manager } = open(tree);
    await manager.discover();
    tree.remove('skills/one/SKILL.md');
    const expected = expect.objectContaining({ name: 'SkillInvocationError', code: 'FileNotFound' }) as Error;
    await expect(manager.loadSkill('one')).rejects.toEqual(expected);
    expect(() => manager.loadSkillSync('one')).toThrow(expected);
    await expect(manager.loadSkill('one')).rejects.toThrow("Skill 'one' has no file 'SKILL.md'");
    expect((await manager.loadSkill('two')).content).toContain('Do as asked.');
    tree.write({ 'skills/one/SKILL.md': goodSkill('one') });
    expect((await manager.loadSkill('one')).content).toContain('Do as asked.');
  });

  it('is read once and kept until the next discovery', async () => {
    proves('S2.FR-3.3.cache');
    const tree = createSkillTree({ 'skills/one/SKILL.md': text('First.') });
    const { manager, loads } = open(tree);
    expect((await manager.loadSkill('one')).content).toBe('First.');
    tree.write({ 'skills/one/SKILL.md': text('Second.') });
    expect((await manager.loadSkill('one')).content).toBe('First.');
    expect(manager.loadSkillSync('one').content).toBe('First.');
    expect(loads()).toEqual(['one', 'one cached', 'one cached']);
    await manager.discover();
    expect((await manager.loadSkill('one')).content).toBe('Second.');
    tree.write({ 'skills/one/SKILL.md': text('Third.') });
    manager.discoverSync();
    expect(manager.loadSkillSync('one').content).toBe('Third.');
    tree.write({ 'skills/one/SKILL.md': text('Fourth.') });
    manager.clearCache();
    expect(manager.loadSkillSync('one').content).toBe('Fourth.');
  });

  it('is read once for concurrent loads', async () => {
    const { manager, loads } = open(createSkillTree({ 'skills/one/SKILL.md': text('First.') }));
    await manager.discover();
    const contents = await Promise.all(Array.from({ length: 5 }, async () => (await manager.loadSkill('one')).content));
    expect(contents).toEqual(Array.from({ length: 5 }, () => 'First.'));
    expect(loads()).toEqual(['one']);
  });

  it('leaves the cache when it is the least recently used and the limit is reached', () => {
    const files = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [
        `skills/${name}/SKILL.md`,
        `---\nname: ${name}\ndescription: D.\n---\n${'x'.repeat(1_000)}`,
      ]),
    );
    const { manager, loads } = open(createSkillTree(files), { bodyCacheBytes: 5_000 });
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) manager.loadSkillSync(name);
    expect(loads()).toEqual(['a', 'b', 'a cached', 'c', 'a cached', 'b']);
  });

  it('is still returned if it alone exceeds the cache limit', () => {
    const { manager } = open(createSkillTree({ 'skills/one/SKILL.md': text('y'.repeat(10_000)) }), {
      bodyCacheBytes: 1,
    });
    expect(manager.loadSkillSync('one').content).toHaveLength(10_000);
    expect(manager.loadSkillSync('one').content).toHaveLength(10_000);
  });

  it('is refused with an error that names the limit if it is too large, while the skill stays listed', async () => {
    const { manager } = open(createSkillTree({ 'skills/one/SKILL.md': text('y'.repeat(10_000)) }), {
      maxSkillBytes: 9_000,
    });
    expect((await manager.discover()).diagnostics).toMatchObject([{ code: 'file-oversized' }]);
    await expect(manager.loadSkill('one')).rejects.toMatchObject({ code: 'FileTooLarge', data: { limit: 9_000 } });
    expect(() => manager.loadSkillSync('one')).toThrow('9000');
  });

  it.each([
    ['blank lines, spaces and tabs', '\n\n  indented\n\ttabbed  \n\n\n'],
    ['code blocks', '```yaml\n---\nname: inner\n---\n```\n'],
    ['carriage returns', 'one\r\ntwo\r\n'],
    ['no newline at the end', 'last'],
    ['characters beyond the basic plane', '🦉 café\u0301 \u200b\u{10FFFF}'],
    ['a byte order mark inside', 'a\uFEFFb'],
  ])('keeps %s exactly as written', (_what, body) => {
    proves('S2.FR-2.2.preserve', 'S0.frontmatter.body-on-load');
    const { manager } = open(createSkillTree({ 'skills/one/SKILL.md': text(body) }));
    expect(manager.loadSkillSync('one').content).toBe(body);
  });

  it('may be empty', () => {
    proves('S2.FR-2.2.empty', 'S2.OP-8.frontmatter-only');
    for (const ending of ['---\n', '---']) {
      const { manager } = open(
        createSkillTree({ 'skills/one/SKILL.md': `---\nname: one\ndescription: One.\n${ending}` }),
      );
      expect(manager.discoverSync()).toMatchObject({ skills: [{ name: 'one' }], errors: [] });
      expect(manager.loadSkillSync('one').content).toBe('');
    }
  });

  it('is never changed on disk when the skill is discovered or invoked', async () => {
    proves('S2.FR-4.AC.unchanged');
    const tree = createSkillTree({ 'skills/one/SKILL.md': text('Run $ARGUMENTS in {baseDir}.\n') });
    const path = tree.path('skills/one/SKILL.md');
    const before = { bytes: readFileSync(path), modified: statSync(path).mtimeMs };
    const { manager } = open(tree);
    await manager.discover();
    await manager.invokeSkill('one', 'x');
    manager.invokeSkillSync('one', 'y');
    expect({ bytes: readFileSync(path), modified: statSync(path).mtimeMs }).toEqual(before);
  });
});

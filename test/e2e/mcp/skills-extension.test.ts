import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SkillsClient, type Skill } from '@modelcontextprotocol/client/ext/skills';
import { describe, expect, it } from 'vitest';
import { skillFile } from '../cli/cli-runner.ts';
import { ERAS, makeSkills, skillFiles, startClient } from './mcp-client.ts';

/** The paths in a skill's entry. */
function pathsOf({ uri, resources }: Skill): string[] {
  const base = uri.slice(0, -'SKILL.md'.length);
  return Array.isArray(resources) ? resources.map((resource) => resource.uri.slice(base.length)).toSorted() : [];
}

describe.each(ERAS)('the skills extension, in revision %s', (era) => {
  it('publishes every file of a skill with a digest that a client can verify', async () => {
    const cwd = makeSkills({ 'skills/moved/SKILL.md': skillFile({ name: 'renamed', description: 'Moves.' }) });
    writeFileSync(join(cwd, 'skills/greet/picture.bin'), Buffer.from([0, 255, 1, 254]));
    const { client } = await startClient(['skills'], { cwd, era });
    const published = new SkillsClient(client);
    expect(published.supported).toBe(true);
    const { skills } = await published.list();
    expect(skills.map(({ uri }) => uri).toSorted()).toEqual([
      'skill://greet/SKILL.md',
      // Its directory has another name.
      'skill://renamed/SKILL.md',
      'skill://sums/SKILL.md',
    ]);
    for (const skill of skills)
      for (const path of pathsOf(skill)) expect(await published.read(skill, path)).toMatchObject({ verified: true });
    const { skill: greet } = await published.get('skill://greet/SKILL.md');
    expect(pathsOf(greet)).toEqual(['SKILL.md', 'notes.md', 'picture.bin', 'scripts/hello.mjs']);
    expect(greet.frontmatter).toEqual({ name: 'greet', description: 'Does greet when asked for it.' });
    expect(await published.read(greet, 'picture.bin')).toMatchObject({ bytes: new Uint8Array([0, 255, 1, 254]) });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('skill://greet/SKILL.md');
  });

  it('renews the digest when a file changes', async () => {
    const cwd = makeSkills();
    const { client } = await startClient(['skills'], { cwd, era });
    const published = new SkillsClient(client);
    const { skill: before } = await published.get('skill://greet/SKILL.md');
    appendFileSync(join(cwd, 'skills/greet/notes.md'), 'four\n');
    await expect
      .poll(async () => JSON.stringify((await published.get('skill://greet/SKILL.md')).skill))
      .not.toBe(JSON.stringify(before));
    const { skill: after } = await published.get('skill://greet/SKILL.md');
    const options = { cacheMode: 'refresh' } as const;
    expect(await published.read(after, 'notes.md', options)).toMatchObject({ verified: true });
    await expect(published.read(before, 'notes.md', options)).rejects.toThrow('is 19 bytes; the skill entry lists 14');
  });

  it('does not list the files of a skill with more than 512', async () => {
    const many = Object.fromEntries(Array.from({ length: 512 }, (_, index) => [`data/${index}.txt`, `${index}`]));
    const { client } = await startClient(['skills'], { cwd: makeSkills(skillFiles('many', many)), era });
    const published = new SkillsClient(client);
    const { skill } = await published.get('skill://many/SKILL.md');
    expect(skill.resources).toBe('dynamic');
    expect(await published.read(skill, 'data/7.txt')).toMatchObject({ text: '7', verified: false });
  });

  it('pages through many skills', async () => {
    const more = Object.assign({}, ...Array.from({ length: 60 }, (_, index) => skillFiles(`extra-${index}`))) as Record<
      string,
      string
    >;
    const { client } = await startClient(['skills'], { cwd: makeSkills(more), era });
    const { skills } = await new SkillsClient(client).list();
    expect(new Set(skills.map(({ uri }) => uri)).size).toBe(62);
  });

  it('leaves out a skill whose frontmatter other readers refuse, and says so', async () => {
    const broken = { 'skills/loose/SKILL.md': '---\nname: loose\ndescription: Use when: asked\n---\n\nDo it.\n' };
    const { client, stderr } = await startClient(['skills'], { cwd: makeSkills(broken), era });
    const { skills } = await new SkillsClient(client).list();
    expect(skills.map(({ uri }) => uri).toSorted()).toEqual(['skill://greet/SKILL.md', 'skill://sums/SKILL.md']);
    await expect.poll(stderr).toContain("Skill 'loose' is not published as a resource");
  });

  it('reads nothing outside the skills', async () => {
    const cwd = makeSkills({ 'secret.txt': 'secret' });
    symlinkSync(join(cwd, 'secret.txt'), join(cwd, 'skills/greet/link.txt'));
    const { client } = await startClient(['skills'], { cwd, era });
    const uris = [
      'skill://greet/../../secret.txt',
      'skill://greet/../sums/tools.json/../../secret.txt',
      'skill://greet/%2e%2e/%2e%2e/secret.txt',
      'skill://greet/..%2f..%2fsecret.txt',
      'skill://greet/scripts%5C..%5C..%5C..%5Csecret.txt',
      `skill://greet/${encodeURIComponent(join(cwd, 'secret.txt'))}`,
      'skill://greet/notes.md%00',
      'skill://greet/%00',
      'skill://greet/%E0%A4%A',
      'skill://greet/link.txt',
      'skill://greet/scripts',
      'skill://greet',
      'skill://not-there/SKILL.md',
      'skill://__proto__/SKILL.md',
      `file://${join(cwd, 'secret.txt')}`,
      `skill://greet/${'x/'.repeat(20_000)}`,
    ];
    for (const uri of uris) {
      const answer = await client.readResource({ uri }).catch((error: unknown) => String(error));
      expect([uri.slice(0, 60), JSON.stringify(answer).includes('secret"')]).toEqual([uri.slice(0, 60), false]);
      expect(typeof answer).toBe('string');
    }
    expect(await client.readResource({ uri: 'skill://greet/notes.md' })).toMatchObject({
      contents: [{ text: 'one\ntwo\nthree\n' }],
    });
  });
});

import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, linkSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SkillManager, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { createSkillTree, type SkillTree, type TreeFiles } from '../support/skill-tree.ts';

/** The danger: a user who cannot read a private file puts it into a skill, and a reader who can read it loads the skill. */
const SKILL = '---\nname: tester\ndescription: Runs things.\n---\nText.\n';
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('SKIPPED: private files of other users in skills, because only root can make them.');
const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
if (!hasBubblewrap)
  console.warn('SKIPPED: private files of other users in skills, because bubblewrap is not installed.');

const staging = mkdtempSync(join(tmpdir(), 'skillwright-staging-'));
afterAll(() => {
  spawnSync('chmod', ['-R', 'u+w', staging]);
  rmSync(staging, { recursive: true, force: true });
});

function open(files: TreeFiles, options: SkillManagerOptions = {}): { manager: SkillManager; tree: SkillTree } {
  const tree = createSkillTree({ 'skills/tester/SKILL.md': SKILL, ...files });
  return { manager: new SkillManager({ cwd: tree.root, stagingDir: staging, trust: 'untrusted', ...options }), tree };
}

function groupWritable(skill: string): void {
  chownSync(join(skill, 'data'), 0, 1000);
  chmodSync(join(skill, 'data'), 0o770);
}

function shareWithOtherGroup(skill: string, key: string): void {
  groupWritable(skill);
  chmodSync(key, 0o640);
}

function shareWithItsGroup(skill: string, key: string): void {
  groupWritable(skill);
  chownSync(key, 0, 1000);
  chmodSync(key, 0o660);
}

function publish(skill: string, key: string): void {
  chownSync(skill, 1000, 1000);
  chmodSync(key, 0o644);
}

function giveAway(skill: string): void {
  for (const path of ['', 'data', 'data/key']) chownSync(join(skill, path), 1000, 1000);
}

/** A skill of root with a private file of root, `data/key`, which is also `key` outside the skill. */
function openWithKey(): ReturnType<typeof open> {
  const files = {
    'skills/tester/go.sh': 'cat data/key 2>/dev/null || echo hidden',
    'skills/tester/data/': '',
    key: 'KEY',
  };
  const opened = open(files);
  chmodSync(opened.tree.path('key'), 0o600);
  linkSync(opened.tree.path('key'), opened.tree.path('skills/tester/data/key'));
  return opened;
}

describe.skipIf(!isRoot || !hasBubblewrap)('copies of untrusted skills', () => {
  it('omit hard links to files of another user, with a diagnostic', async () => {
    const { logger, records } = createRecordingLogger();
    const { manager, tree } = open(
      {
        'skills/tester/go.sh': 'cat shared.txt; cat stolen.txt 2>/dev/null || echo hidden',
        'skills/tester/own.txt': 'own',
        'secret.txt': 'HOST',
      },
      { logger },
    );
    // A package manager's hard link belongs to the owner of its directory.
    linkSync(tree.path('skills/tester/own.txt'), tree.path('skills/tester/shared.txt'));
    chmodSync(tree.path('secret.txt'), 0o600);
    linkSync(tree.path('secret.txt'), tree.path('skills/tester/stolen.txt'));
    for (const path of ['', 'go.sh', 'own.txt']) chownSync(tree.path(`skills/tester/${path}`), 1000, 1000);
    expect((await manager.runScript('tester', 'go.sh')).stdout).toBe('ownhidden\n');
    const said = records.filter(({ data }) => data['code'] === 'file-foreign');
    expect(said).toMatchObject([{ level: 'warn', message: expect.stringContaining("'stolen.txt'") as string }]);
    const copies = readdirSync(staging).map((copy) => join(staging, copy, 'stolen.txt'));
    expect(copies.filter((path) => existsSync(path))).toEqual([]);
    await expect(manager.readFile('tester', 'stolen.txt')).rejects.toMatchObject({ code: 'PathNotAllowed' });
    expect(await manager.readFile('tester', 'shared.txt')).toBe('own');
  });

  it.each<[string, (skill: string, key: string) => void]>([
    ['another user owns the skill', (skill) => chownSync(skill, 1000, 1000)],
    ['another user owns the directory', (skill) => chownSync(join(skill, 'data'), 1000, 1000)],
    ['everyone can write the skill', (skill) => chmodSync(skill, 0o777)],
    ['everyone can write the directory', (skill) => chmodSync(join(skill, 'data'), 0o777)],
    ['everyone can add to the directory, which is sticky', (skill) => chmodSync(join(skill, 'data'), 0o1777)],
    ['a group that cannot read the file can write the directory', groupWritable],
    ["only the owner's own group can write the directory", (skill) => chmodSync(join(skill, 'data'), 0o775)],
    ['another group than the one that can read the file can write the directory', shareWithOtherGroup],
  ])('omit a private file, which the library does not read either, if %s', async (_when, arrange) => {
    const { manager, tree } = openWithKey();
    arrange(tree.path('skills/tester'), tree.path('key'));
    expect((await manager.runScript('tester', 'go.sh')).stdout).toBe('hidden\n');
    await expect(manager.readFile('tester', 'data/key')).rejects.toMatchObject({ code: 'PathNotAllowed' });
    expect(() => manager.readFileSync('tester', 'data/key')).toThrow('may be a private file of another user');
  });

  it('also omit another user’s private file that has no other hard link', async () => {
    const { manager, tree } = openWithKey();
    chownSync(tree.path('skills/tester'), 1000, 1000);
    tree.remove('key');
    expect((await manager.runScript('tester', 'go.sh')).stdout).toBe('hidden\n');
    await expect(manager.readFile('tester', 'data/key')).rejects.toMatchObject({ code: 'PathNotAllowed' });
  });

  it("contain a private file without other hard links if only its owner's own group can write the directory", async () => {
    const { manager, tree } = openWithKey();
    chmodSync(tree.path('skills/tester/data'), 0o775);
    tree.remove('key');
    expect((await manager.runScript('tester', 'go.sh')).stdout).toBe('KEY');
  });

  it.each<[string, (skill: string, key: string) => void]>([
    ['it and the directories have one owner', () => undefined],
    ['it and the directories have one owner, who is not the reader', giveAway],
    ['everyone can read it', publish],
    ['the group that can write the directory can read it', shareWithItsGroup],
  ])('contain a file with several hard links, which can also be read, if %s', async (_when, arrange) => {
    const { manager, tree } = openWithKey();
    arrange(tree.path('skills/tester'), tree.path('key'));
    expect((await manager.runScript('tester', 'go.sh')).stdout).toBe('KEY');
    expect(await manager.readFile('tester', 'data/key')).toBe('KEY');
  });
});

describe.skipIf(!isRoot)('a SKILL.md that is a private file of another user', () => {
  const SECRET = '---\nname: secret-name\ndescription: Secret description.\n---\nText.\n';

  /** A skill of a user whose SKILL.md is a hard link to a file of root. */
  function openStolen(options: SkillManagerOptions, secret: string = SECRET): ReturnType<typeof open> {
    const tree = createSkillTree({ 'skills/tester/go.sh': '', secret });
    chmodSync(tree.path('secret'), 0o600);
    linkSync(tree.path('secret'), tree.path('skills/tester/SKILL.md'));
    chownSync(tree.path('skills/tester'), 1000, 1000);
    return { manager: new SkillManager({ cwd: tree.root, trust: 'untrusted', ...options }), tree };
  }

  it('is not read, and a diagnostic says why', () => {
    const { manager, tree } = openStolen({});
    expect(manager.listSkills()).toEqual([]);
    const [refused] = manager.snapshot.refused;
    expect(refused).toMatchObject({
      directoryName: 'tester',
      diagnostics: [{ code: 'file-foreign', path: tree.path('skills/tester/SKILL.md') }],
    });
    expect(JSON.stringify(manager.snapshot)).not.toContain('ecret');
  });

  it('is not read from the index cache, either', () => {
    const indexCache = join(mkdtempSync(join(staging, '.making-')), 'index.json');
    const { tree } = openStolen({});
    const read = (trust: 'trusted' | 'untrusted'): SkillManager =>
      new SkillManager({ cwd: tree.root, trust, indexCache });
    expect(read('trusted').listSkills()).toMatchObject([{ name: 'secret-name' }]);
    expect(read('untrusted').listSkills()).toEqual([]);
  });

  it('does not reveal the name of a blocked skill', () => {
    expect(openStolen({ trust: 'blocked' }).manager.snapshot.blocked).toMatchObject([{ name: 'tester' }]);
  });

  it('is read only up to its first bytes if it is trusted', () => {
    const long = `---\nname: secret-name\n${'x: y\n'.repeat(20_000)}description: Secret description.\n---\n`;
    const { manager } = openStolen({ trust: 'trusted' }, long);
    expect(manager.listSkills()).toEqual([]);
  });

  it('is read if everyone can read it', () => {
    const { manager, tree } = openStolen({});
    chmodSync(tree.path('secret'), 0o644);
    expect(manager.listSkills()).toMatchObject([{ name: 'secret-name' }]);
  });
});

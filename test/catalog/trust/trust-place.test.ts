import { chmodSync, chownSync, lchownSync, mkdirSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../packages/skillwright/src/index.ts';
import { createTrustStore } from '../../../packages/skillwright/src/host.ts';
import { createSkillTree, type SkillTree } from '../../support/skill-tree.ts';

const FILE = 'home/me/.config/skillwright/trust.json';
const NOBODY = 65_534;

/** A home directory with a safe trust file. */
function makeHome(): SkillTree {
  const tree = createSkillTree({ [FILE]: '{"version":1,"entries":[]}', 'home/elsewhere/deep/': '' });
  for (const path of ['home', 'home/me', 'home/me/.config', 'home/me/.config/skillwright', 'home/elsewhere/deep'])
    chmodSync(tree.path(path), 0o755);
  chmodSync(tree.path('home/elsewhere'), 0o755);
  chmodSync(tree.path(FILE), 0o600);
  return tree;
}

/** Replaces the file by a link to one elsewhere. */
function linkFile(tree: SkillTree): void {
  renameSync(tree.path(FILE), tree.path('home/elsewhere/deep/trust.json'));
  tree.link(FILE, tree.path('home/elsewhere/deep/trust.json'));
}

function problemsOf(tree: SkillTree): readonly Diagnostic[] {
  return createTrustStore(tree.path(FILE), { home: tree.path('home/me') }).diagnostics;
}

describe.skipIf(process.platform === 'win32')('a trust file', () => {
  it.each(['home/me/.config', 'home/me'])('counts if everybody may write %s but that directory is sticky', (path) => {
    const tree = makeHome();
    chmodSync(tree.path(path), 0o1757);
    expect(problemsOf(tree)).toEqual([]);
  });

  it.each(['home/me/.config/skillwright', 'home/me/.config', 'home/me'])(
    'is refused if everybody may write %s',
    (path) => {
      const tree = makeHome();
      chmodSync(tree.path(path), 0o757);
      const hint = `chmod go-w '${tree.path(path)}'`;
      expect(problemsOf(tree)).toMatchObject([{ code: 'trust-file-unsafe', path: tree.path(FILE), hint }]);
    },
  );

  it('counts even if others may write above the home directory', () => {
    const tree = makeHome();
    chmodSync(tree.path('home'), 0o757);
    expect(problemsOf(tree)).toEqual([]);
  });

  it.each(['home/elsewhere/deep', 'home/elsewhere'])(
    'is refused if it is a link and everybody may write %s',
    (path) => {
      const tree = makeHome();
      linkFile(tree);
      expect(problemsOf(tree)).toEqual([]);
      chmodSync(tree.path(path), 0o757);
      expect(problemsOf(tree)).toMatchObject([{ hint: `chmod go-w '${tree.path(path)}'` }]);
    },
  );

  it('below a linked directory is refused if everybody may write where the link lies or where it leads', () => {
    const tree = makeHome();
    renameSync(tree.path('home/me/.config'), tree.path('home/elsewhere/deep/config'));
    mkdirSync(tree.path('home/links'));
    tree.link('home/links/config', tree.path('home/elsewhere/deep/config'));
    tree.link('home/me/.config', tree.path('home/links/config'));
    expect(problemsOf(tree)).toEqual([]);
    for (const path of ['home/links', 'home/elsewhere/deep/config', 'home/elsewhere']) {
      chmodSync(tree.path(path), 0o757);
      expect(problemsOf(tree)).toMatchObject([{ hint: `chmod go-w '${tree.path(path)}'` }]);
      chmodSync(tree.path(path), 0o755);
    }
  });

  it('is not written through a link that others could change', async () => {
    const tree = makeHome();
    linkFile(tree);
    chmodSync(tree.path('home/me/.config/skillwright'), 0o777);
    const store = createTrustStore(tree.path(FILE), { home: tree.path('home/me') });
    await expect(store.set(tree.path('home/elsewhere'), 'blocked')).rejects.toMatchObject({
      code: 'TrustFileUnusable',
    });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is refused if a directory above it, or a link to it, belongs to another user',
    () => {
      const tree = makeHome();
      chownSync(tree.path('home/me/.config'), NOBODY, NOBODY);
      expect(problemsOf(tree)).toMatchObject([{ code: 'trust-file-unsafe' }]);
      chownSync(tree.path('home/me/.config'), 0, 0);
      linkFile(tree);
      lchownSync(tree.path(FILE), NOBODY, NOBODY);
      expect(problemsOf(tree)).toMatchObject([{ code: 'trust-file-unsafe' }]);
    },
  );

  it.skipIf(process.getuid?.() !== 0)("counts if only its own user's group may write the directories above it", () => {
    const tree = makeHome();
    chmodSync(tree.path('home/me/.config'), 0o775);
    expect(problemsOf(tree)).toEqual([]);
    chownSync(tree.path('home/me/.config'), 0, 100);
    expect(problemsOf(tree)).toMatchObject([{ code: 'trust-file-unsafe' }]);
  });
});

describe.skipIf(process.platform === 'win32')('a trust file that becomes unusable while a program runs', () => {
  it.each<[string, (tree: SkillTree) => void]>([
    ['is gone', (tree) => tree.remove(FILE)],
    ['can be written by everybody', (tree) => chmodSync(tree.path(FILE), 0o666)],
    ['is not JSON', (tree) => tree.write({ [FILE]: 'broken' })],
  ])('still blocks what it blocked and trusts nothing when it %s', async (_what, spoil) => {
    const tree = makeHome();
    tree.write({ 'a/': '', 'b/c/': '' });
    const store = createTrustStore(tree.path(FILE), { home: tree.path('home/me'), keepsBlocks: true });
    await store.set(tree.path('a'), 'trusted');
    await store.set(tree.path('b'), 'blocked');
    const levels = (): unknown => ['a', 'b/c'].map((path) => store.levelOf(tree.path(path)));
    expect(levels()).toEqual(['trusted', 'blocked']);
    await Promise.resolve();
    spoil(tree);
    await Promise.resolve();
    expect(levels()).toEqual([undefined, 'blocked']);
    expect(store.diagnostics).toHaveLength(1);
  });
});

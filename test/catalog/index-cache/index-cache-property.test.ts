import { deepStrictEqual } from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { it } from 'vitest';
import { SkillManager, type SkillManagerOptions } from '../../../packages/skillwright/src/index.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import { settleFiles, tick } from '../../support/settled-clock.ts';
import { goodSkill, skillText } from '../../support/skill-tree.ts';

/** A change to a tree between two discoveries. */
type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'remove' | 'directory'; readonly path: string }
  | { readonly kind: 'move' | 'link'; readonly path: string; readonly to: string };

const DIRECTORIES = ['a', 'b', 'group/a', 'group/c', 'group', 'kit/skills/a', 'kit/skills/d'];
const FILES = ['SKILL.md', 'SKILL.md', 'skill.md', 'tools.json', 'scripts/run.mjs'];
const CONTENTS = [
  goodSkill('a'),
  goodSkill('b', 'Another one.'),
  skillText({ name: 'c', description: 'With tags.', tags: '[x, y]', metadata: '{ n: .nan, z: -0.0 }' }),
  skillText({ name: 'wrong name', description: 'Is warned of: really.' }),
  '# No frontmatter\n\nBut text.\n',
  '---\nname: [unclosed\n',
  '',
  `${goodSkill('big')}${'z'.repeat(3_000)}`,
  '[{ "name": "say", "description": "Says it.", "script": "scripts/run.mjs" }]',
  '[{',
];

const directory = fc.constantFrom(...DIRECTORIES);
const file = fc.tuple(directory, fc.constantFrom(...FILES)).map(([folder, name]) => `${folder}/${name}`);
const place = fc.oneof(directory, file);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write'), path: file, content: fc.constantFrom(...CONTENTS) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'directory'), path: place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('move', 'link'), path: place, to: place }) },
);

/** Applies a change if possible; many are impossible in the current tree. */
function apply(root: string, change: Edit): void {
  const path = join(root, change.path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    switch (change.kind) {
      case 'write':
        writeFileSync(path, change.content);
        return tick(path);
      case 'remove':
        return rmSync(path, { recursive: true });
      case 'directory':
        return mkdirSync(path);
      case 'move':
        return renameSync(path, join(root, change.to));
      case 'link':
        return symlinkSync(join(root, change.to), path);
    }
  } catch {
    // The path does not exist in this tree.
  }
}

function discover(options: SkillManagerOptions): unknown {
  const { snapshot } = new SkillManager(options);
  const { skills, shadowed, refused, blocked, tools, diagnostics } = snapshot;
  return { skills, shadowed, refused, blocked, tools: [...tools], diagnostics };
}

it('a discovery with an index cache finds the same as one without, whatever happened to the tree in between', () => {
  settleFiles();
  const rounds = fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(rounds, fc.boolean(), (edits, strict) => {
      const root = mkdtempSync(join(tmpdir(), 'index-cache-'));
      try {
        mkdirSync(join(root, 'kit/.claude-plugin'), { recursive: true });
        writeFileSync(join(root, 'kit/.claude-plugin/plugin.json'), '{ "name": "kit" }');
        const options = {
          projectSkillDir: root,
          pluginDirs: [join(root, 'kit')],
          strict,
          limits: { maxSkillBytes: 2_000 },
        };
        const cached = { ...options, indexCache: join(root, 'skills.idx') };
        for (const changes of edits) {
          for (const change of changes) apply(root, change);
          const fresh = discover(options);
          deepStrictEqual(discover(cached), fresh);
          deepStrictEqual(discover(cached), fresh);
        }
      } finally {
        if (existsSync(root)) rmSync(root, { recursive: true, force: true });
      }
    }),
    { numRuns: Math.ceil(FUZZ_RUNS / 10) },
  );
});

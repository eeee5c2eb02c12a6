import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSkillTree, type SkillTree } from '../support/skill-tree.ts';
import { runScript, type ScriptResult } from './skill-script.ts';

const IS_WINDOWS = process.platform === 'win32';

function create(tree: SkillTree, ...args: string[]): ScriptResult {
  return runScript('file-scaffolding/scripts/create.mjs', args, tree.root);
}

describe('file-scaffolding', () => {
  it('creates a component from the template, with its props and its class', () => {
    const tree = createSkillTree();
    const props = "title:string,kind?:'big' | 'small', tags: string[]";
    expect(create(tree, '--props', props, 'UserCard', 'web/components')).toEqual({
      status: 0,
      stdout: 'Created web/components/UserCard.vue\n',
      stderr: '',
    });
    expect(readFileSync(tree.path('web/components/UserCard.vue'), 'utf8')).toBe(
      [
        '<script setup lang="ts">',
        'defineProps<{',
        '  title: string;',
        "  kind?: 'big' | 'small';",
        '  tags: string[];',
        '}>();',
        '</script>',
        '',
        '<template>',
        '  <section class="user-card">',
        '    <p>UserCard</p>',
        '  </section>',
        '</template>',
        '',
        '<style scoped>',
        '.user-card {',
        '}',
        '</style>',
        '',
      ].join('\n'),
    );
  });

  it('requires no props and no directory, and accepts names with initials', () => {
    const tree = createSkillTree();
    expect(create(tree, 'HTMLPreviewBox').status).toBe(0);
    const text = readFileSync(tree.path('src/components/HTMLPreviewBox.vue'), 'utf8');
    expect(text).toContain('class="html-preview-box"');
    expect(text).not.toContain('defineProps');
  });

  it('writes nothing in a dry run', () => {
    const tree = createSkillTree();
    const { status, stdout } = create(tree, '--dry-run', 'UserCard');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^src\/components\/UserCard\.vue would be:\n\n<script setup/);
    expect(readdirSync(tree.root)).toEqual([]);
  });

  it('never overwrites', () => {
    const tree = createSkillTree({ 'src/components/UserCard.vue': 'mine' });
    const { status, stderr } = create(tree, 'UserCard');
    expect(status).toBe(1);
    expect(stderr).toContain('src/components/UserCard.vue is there already');
    expect(readFileSync(tree.path('src/components/UserCard.vue'), 'utf8')).toBe('mine');
  });

  it.skipIf(IS_WINDOWS)('never leaves the working directory', () => {
    const tree = createSkillTree({ 'outside/': '', 'work/src/': '' });
    tree.link('work/link', '../outside');
    tree.link('work/dangling', '../gone');
    tree.link('work/src/UserCard.vue', '../../outside/stolen.vue');
    const work = tree.path('work');
    const run = (directory: string): ScriptResult =>
      runScript('file-scaffolding/scripts/create.mjs', ['UserCard', directory], work);
    for (const directory of [
      '..',
      '../outside',
      'src/../../outside',
      'link',
      'link/deep',
      'dangling',
      tree.path('outside'),
      '~/x/../../..',
    ])
      expect(run(directory), directory).toMatchObject({ status: 2, stdout: '' });
    expect(run('src')).toMatchObject({ status: 1, stdout: '' });
    expect(readdirSync(tree.path('outside'))).toEqual([]);
    expect(existsSync(tree.path('gone'))).toBe(false);
  });

  it.each([
    [[], /expected a name/],
    [['user-card'], /not a PascalCase name/],
    [['../Evil'], /not a PascalCase name/],
    [['Card'], /is one word/],
    [[`A${'b'.repeat(100)}`], /not a PascalCase name/],
    [['--props', 'title', 'UserCard'], /"title" is not a prop/],
    [['--props', 'a:string,a:number', 'UserCard'], /"a" is given twice/],
    [['--props', 'a:string;}>();</script><script>alert(1)//', 'UserCard'], /is not a prop/],
    [['--props', Array.from({ length: 51 }, (_, index) => `p${index}:string`).join(','), 'UserCard'], /more than 50/],
    [['UserCard', 'a', 'b'], /got 3 arguments/],
  ])('rejects %j', (args, message) => {
    const tree = createSkillTree();
    const { status, stdout, stderr } = create(tree, ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(readdirSync(tree.root)).toEqual([]);
  });

  it('reports why a file cannot be written', () => {
    const tree = createSkillTree();
    writeFileSync(tree.path('src'), 'a file');
    const { status, stderr } = create(tree, 'UserCard', 'src');
    expect(status).toBe(2);
    expect(stderr).toMatch(/EEXIST|ENOTDIR/);
  });
});

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { SkillManager, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createSkillTree, goodSkill, type SkillTree, type TreeFiles } from '../support/skill-tree.ts';

const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
if (!hasBubblewrap) console.warn('SKIPPED: formats in bubblewrap, because bubblewrap is not installed.');

const staging = mkdtempSync(join(tmpdir(), 'skillwright-staging-'));
afterAll(() => {
  spawnSync('chmod', ['-R', 'u+w', staging]);
  rmSync(staging, { recursive: true, force: true });
});

/** ES modules and CommonJS in one skill, which import each other. */
const MIXED: TreeFiles = {
  'tool.js': `import { word } from './lib/esm.js';
import { createRequire } from 'node:module';
const required = createRequire(import.meta.url)('./lib/common.js');
const later = await import('./lib/common.js');
import { named, other } from './lib/named.js'; export default async () => ({ word, required, later: later.default, named: named + other, url: import.meta.url });`,
  'lib/esm.js': `export const word = 'esm';`,
  'lib/common.js': `module.exports = { here: __dirname, esm: require('./esm.js').word };`,
  'lib/named.js': `exports.named = 'na'; module.exports.other = 'med';`,
  'common-tool.js': `module.exports = () => require('./lib/common.js');`,
  'typed-common.ts': `import type { Stats } from 'node:fs';\nmodule.exports = (stats?: Stats): string => __filename;`,
  'typed.ts': `import { word } from './lib/esm.js';\nexport default (): string => word as string;`,
  'broken.js': `export default () => {\n  const a = 1;\n  throw new Error('line 3');\n};`,
  'esm-script.js': `import { word } from './lib/esm.js';\nconsole.log(word, import.meta.url, process.argv[2]);`,
  'common-script.js': `console.log(require('./lib/esm.js').word, __filename, require.main === module && !module.parent, process.argv[2]);`,
  shebang: `#!/usr/bin/env node\nimport { word } from './lib/esm.js';\nconsole.log(word);`,
};
const TOOLS = ['tool', 'common-tool', 'broken'].map((name) => `${name}.js`).concat('typed.ts', 'typed-common.ts');

interface Opened {
  readonly manager: SkillManager;
  readonly tree: SkillTree;
  readonly skill: string;
  call(script: string): Promise<unknown>;
}

function open(files: TreeFiles, options: SkillManagerOptions = {}, skill = 'skills/kit'): Opened {
  const nameOf = (script: string): string => script.replace(/\..*/, '').replaceAll('-', '_');
  const tools = TOOLS.map((script) => ({ name: nameOf(script), description: 'Answers.', script, parameters: {} }));
  const tree = createSkillTree({
    [`${skill}/SKILL.md`]: goodSkill('kit'),
    [`${skill}/tools.json`]: JSON.stringify(tools),
    ...Object.fromEntries(Object.entries(MIXED).map(([path, code]) => [`${skill}/${path}`, code])),
    ...files,
  });
  // Programs in a sandbox run as another user.
  chmodSync(tree.root, 0o755);
  const manager = new SkillManager({
    cwd: tree.root,
    projectSkillDir: tree.path(skill, '..'),
    stagingDir: staging,
    ...options,
  });
  onTestFinished(() => manager.close());
  const call = async (script: string): Promise<unknown> => (await manager.callTool(nameOf(script))).value;
  return { manager, tree, skill: tree.path(skill), call };
}

const PROJECTS: readonly [string, TreeFiles, string?][] = [
  ['of the type commonjs', { 'package.json': '{"type":"commonjs"}' }],
  ['of the type module', { 'package.json': '{"type":"module"}' }],
  ['without a type', { 'package.json': '{}' }],
  ['whose type the skill overrides', { 'package.json': '{"type":"module"}', 'skills/kit/package.json': '{}' }],
  ['that is an installed package', { 'package.json': '{"type":"commonjs"}' }, 'node_modules/pack/skills/kit'],
];

const TIERS: readonly [string, SkillManagerOptions][] = [
  ['process', { sandbox: 'process' }],
  ...(hasBubblewrap
    ? ([
        ['bubblewrap that shows the project', { sandbox: { min: 'bubblewrap', workspace: 'read' } }],
        ['bubblewrap', { sandbox: 'bubblewrap' }],
      ] as [string, SkillManagerOptions][])
    : []),
];

describe.each(PROJECTS)('a skill in a project %s', (_what, files, skill) => {
  it.each(TIERS)('has handlers of both formats, which import each other, in %s', async (_tier, options) => {
    const opened = open(files, options, skill);
    const common = { here: join(opened.skill, 'lib'), esm: 'esm' };
    expect(await opened.call('tool.js')).toEqual({
      word: 'esm',
      required: common,
      later: common,
      named: 'named',
      url: `file://${opened.skill}/tool.js`,
    });
    expect(await opened.call('common-tool.js')).toEqual(common);
  });

  it.each(TIERS)('has scripts of both formats, in %s', async (_tier, options) => {
    const opened = open(files, options, skill);
    const run = async (script: string): Promise<unknown> => {
      const { stdout, stderr } = await opened.manager.runScript('kit', script, ['well']);
      return [stdout, stderr];
    };
    expect(await run('esm-script.js')).toEqual([`esm file://${opened.skill}/esm-script.js well\n`, '']);
    expect(await run('common-script.js')).toEqual([`esm ${opened.skill}/common-script.js true well\n`, '']);
    expect(await run('shebang')).toEqual(['esm\n', '']);
  });
});

describe.each(PROJECTS.slice(0, 4))('TypeScript in a project %s', (_what, files) => {
  it('also supports both formats', async () => {
    const opened = open(files);
    expect(await opened.call('typed.ts')).toBe('esm');
    expect(await opened.call('typed-common.ts')).toBe(join(opened.skill, 'typed-common.ts'));
    const { stderr } = (await opened.manager.callTool('typed')).execution;
    expect(stderr).toBe('');
  });
});

describe('a skill inside a project of another type', () => {
  const project = { 'package.json': '{"type":"commonjs"}' };

  it('uses its own package.json, and those of its directories', async () => {
    const opened = open({
      ...project,
      'skills/kit/package.json': '{"type":"module"}',
      'skills/kit/lib/package.json': '{"type":"commonjs"}',
      'skills/kit/lib/esm.js': `exports.word = 'commonjs after all';`,
      'skills/kit/common-tool.js': `module.exports = () => 1;`,
    });
    expect(await opened.call('tool.js')).toMatchObject({ word: 'commonjs after all' });
    expect(await opened.call('common-tool.js')).toEqual({
      error: expect.stringContaining('no default export') as string,
    });
  });

  it("can still import the project's packages, in their own format", async () => {
    const opened = open({
      ...project,
      'node_modules/dep/package.json': '{"name":"dep","main":"main.js"}',
      'node_modules/dep/main.js': `module.exports = { dep: __filename };`,
      'skills/kit/tool.js': `import { dep } from 'dep';\nexport default () => dep;`,
    });
    expect(await opened.call('tool.js')).toBe(opened.tree.path('node_modules/dep/main.js'));
  });

  it('reports errors with their original lines', async () => {
    const opened = open(project);
    const { execution } = await opened.manager.callTool('broken');
    expect(JSON.stringify(execution)).toContain('line 3');
    expect(execution.stderr + String(execution.error)).not.toContain('data:text/javascript');
    opened.tree.write({ 'skills/kit/esm-script.js': `import fs from 'node:fs';\n\nnull.x;` });
    const { stderr } = await opened.manager.runScript('kit', 'esm-script.js');
    expect(stderr).toContain('esm-script.js:3');
  });

  it('is read again when one of its files changes its format', async () => {
    const opened = open({
      ...project,
      ...Object.fromEntries(
        Object.keys(MIXED).map((path) => [`skills/kit/${path}`, `module.exports = () => 'common';`]),
      ),
    });
    expect(await opened.call('tool.js')).toBe('common');
    opened.tree.write({ 'skills/kit/tool.js': `export default () => 'esm by now';` });
    expect(await opened.call('tool.js')).toBe('esm by now');
  });

  it.each([
    ['commonjs', 'common', '[]'],
    ['module', 'esm', '[]'],
    ['module', 'common', expect.stringContaining('--import') as string],
    ['commonjs', 'esm', expect.stringContaining('--import') as string],
  ])(
    'starts with an import hook only if its format needs it: a project of the type %s, a script in %s',
    async (type, format, args) => {
      const say = 'console.log(JSON.stringify(process.execArgv));';
      const code = format === 'esm' ? `import 'node:fs';\n${say}` : `require('node:fs');\n${say}`;
      const tree = createSkillTree({
        'package.json': JSON.stringify({ type }),
        'skills/kit/SKILL.md': goodSkill('kit'),
        'skills/kit/say.js': code,
      });
      const manager = new SkillManager({ cwd: tree.root, projectSkillDir: tree.path('skills') });
      expect((await manager.runScript('kit', 'say.js')).stdout.trim()).toEqual(args);
      await manager.close();
    },
  );
});

describe('the inprocess tier', () => {
  it('loads handlers of both formats in a project of either type', () => {
    const source = JSON.stringify(new URL('../../packages/skillwright/src/index.ts', import.meta.url).href);
    const program = `import { SkillManager } from ${source};
      const manager = new SkillManager({ sandbox: 'inprocess', projectSkillDir: process.argv[1] });
      const answers = [];
      for (const name of ['tool', 'common_tool', 'typed']) answers.push((await manager.callTool(name)).value);
      console.log(JSON.stringify(answers));
      await manager.close();`;
    for (const type of ['commonjs', 'module']) {
      const { tree, skill } = open({ 'package.json': JSON.stringify({ type }) });
      const args = ['--input-type=module', '--eval', program, tree.path('skills')];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      const common = { here: join(skill, 'lib'), esm: 'esm' };
      expect([stderr, JSON.parse(stdout || 'null')]).toEqual([
        '',
        [
          { word: 'esm', required: common, later: common, named: 'named', url: expect.any(String) as string },
          common,
          'esm',
        ],
      ]);
    }
  });
});

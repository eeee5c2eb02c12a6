import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createSkillTree, goodSkill } from '../support/skill-tree.ts';
import { RUNTIMES, runtimePath, type Runtime } from './runtimes.ts';

const program = fileURLToPath(new URL('use-skills.mjs', import.meta.url));
const missing = RUNTIMES.filter((name) => !existsSync(runtimePath(name)));
if (missing.length > 0) console.error(`SKIPPED: ${missing.join(', ')}: not installed.`);
const isThere = (name: Runtime): boolean => !missing.includes(name);

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(name: Runtime, args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const path = runtimePath(name);
  // Some npm packages install the program without the permission to execute it.
  chmodSync(path, 0o755);
  const all = name === 'deno' ? ['run', '--allow-all', ...args] : args;
  return spawnSync(path, all, { encoding: 'utf8', env: { ...process.env, ...env } });
}

describe.skipIf(!isThere('node-20'))('Node 20', () => {
  const topics = ['select', 'sandbox', 'record', 'otel', 'demo', 'host'].map((name) => `skillwright/${name}`);
  it.each(['skillwright', ...topics, '@skillwright/gateway'])(
    'gets a message from %s with the required version',
    (entry) => {
      const { stdout, stderr } = run('node-20', [program, entry]);
      const message = expect.stringMatching(
        /^skillwright needs Node 22\.19 or later, and this is Node 20\.[^\n]*$/,
      ) as string;
      expect([JSON.parse(stdout || '{}'), stderr]).toEqual([{ code: 'NodeTooOld', message }, '']);
    },
  );
});

const TOOLS = ['js', 'py', 'sh'].map((kind) => ({
  name: `${kind}_tool`,
  description: 'Doubles a number.',
  script: `scripts/tool.${kind}`,
  parameters: { n: { type: 'number', description: 'The number.' } },
}));

describe.each<Runtime>(['bun', 'deno'])('%s', (name) => {
  const useSkills = (env: Readonly<Record<string, string>>, options: object = {}): unknown => {
    const tree = createSkillTree({
      'package.json': '{"type":"commonjs"}',
      'skills/kit/SKILL.md': goodSkill('kit'),
      'skills/kit/tools.json': JSON.stringify(TOOLS),
      'skills/kit/scripts/tool.js': 'export default ({ n }) => 2 * n;',
      'skills/kit/scripts/tool.py': 'def handler(args):\n    return 2 * args["n"]\n',
      'skills/kit/scripts/tool.sh': `sed -E 's/.*"n":([0-9]+).*/\\1\\1/'`,
      'skills/kit/scripts/say.sh': 'echo "said $1"',
      'skills/kit/scripts/say.js': `import 'node:fs';\nconsole.log('said', process.argv[2]);`,
    });
    const { stdout, stderr } = run(name, [program, '--skills', tree.path('skills'), JSON.stringify(options)], env);
    return stdout.startsWith('{') ? JSON.parse(stdout) : stderr;
  };
  const withNode = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };

  it.skipIf(!isThere(name))('discovers, runs scripts, and calls tools in JavaScript, Python and bash', () => {
    const said = { success: true, stdout: 'said well\n' };
    const twice = [42, 42];
    expect(useSkills(withNode)).toMatchObject({
      discovered: ['kit'],
      names: ['kit'],
      scripts: [said, said],
      tools: { js_tool: twice, py_tool: twice, sh_tool: [2121, 2121] },
    });
  });

  it.skipIf(!isThere(name))('reports that JavaScript needs Node if it is missing, unless called in process', () => {
    const withoutNode = { PATH: join(dirname(program), 'no-programs') };
    const refused = {
      success: false,
      code: 'RequirementsMissing',
      error: expect.stringContaining('Node 22.19') as string,
    };
    expect(useSkills(withoutNode)).toMatchObject({ tools: { js_tool: [refused, refused] } });
    expect(useSkills(withoutNode, { sandbox: 'inprocess' })).toMatchObject({ tools: { js_tool: [42, 42] } });
  });
});

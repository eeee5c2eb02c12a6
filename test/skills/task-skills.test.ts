import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSkillsProvider, SkillLoader, type SkillsProvider } from '../../packages/skillwright/src/index.ts';
import { runHere } from '../e2e/cli/cli-runner.ts';
import { proves } from '../proves.ts';
import { createSkillTree, type TreeFiles } from '../support/skill-tree.ts';
import { skillsDir } from './skill-script.ts';

const TASK_SKILLS = ['file-search', 'file-scaffolding', 'database-query'] as const;

interface ShownCall {
  skill?: string;
  script?: string;
  args?: string[];
  tool_name?: string;
  arguments?: Record<string, unknown>;
}

/** The example calls in a skill's instructions, found as a model or the demo planner finds them. */
function shownCalls(skill: string): ShownCall[] {
  const text = readFileSync(join(skillsDir, skill, 'SKILL.md'), 'utf8');
  const withoutTemplates = text.replaceAll(/^````[\s\S]*?^````$/gm, '');
  const blocks = [...withoutTemplates.matchAll(/^```json\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, block = '']) => JSON.parse(block) as ShownCall);
}

async function providerIn(files: TreeFiles): Promise<{ provider: SkillsProvider; path: (name: string) => string }> {
  const tree = createSkillTree(files);
  const provider = await createSkillsProvider(skillsDir, { cwd: tree.root });
  onTestFinished(() => provider.close());
  return { provider, path: tree.path };
}

describe('the skill for failed calls', () => {
  it('has a section for each tool, and is found when one of them fails', async () => {
    proves('S3.skill.recovery');
    const loader = new SkillLoader(skillsDir);
    const tools = shownCalls('tool-call-error-recovery').map((call) => call.tool_name ?? '');
    expect(tools).toEqual(
      expect.arrayContaining(
        ['list_files', 'read_file', 'search_files', 'write_file'].map((name) => `FileSystemTool_${name}`),
      ),
    );
    expect(tools).toContain('DatabaseTool_query');
    const named = tools.filter((name) => name.includes('Tool_'));
    for (const toolName of named) {
      const [found] = await loader.findSkills('tool_call_error', { toolName, error: 'path is required' });
      expect(found?.name).toBe('tool-call-error-recovery');
    }
    const { body } = await loader.loadSkill('tool_call_error_recovery');
    for (const tool of named) expect(body).toContain(`\n## Tool: ${tool}\n`);
  });
});

describe('the skills for tasks', () => {
  it('are valid, and are found by name and by task', async () => {
    proves('S3.skill.more');
    const { code, stdout } = await runHere(['validate', 'skills', '--max-warnings', '0', '--json']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('"diagnostics": []') as string });
    const loader = new SkillLoader(skillsDir);
    for (const [name, task] of [
      ['file_search', 'find all TODOs in the files of this project'],
      ['file_scaffolding', 'scaffold a Vue component'],
      ['database_query', 'query the SQLite database for open orders'],
    ] as const) {
      const [best] = await loader.findSkills('task_match', { taskDescription: task });
      const [named] = await loader.findSkills('explicit_command', { command: name });
      expect([best?.name, named?.name]).toEqual([named?.name, name.replaceAll('_', '-')]);
      expect((await loader.loadSkill(name)).metadata.tags?.length).toBeGreaterThan(3);
    }
  });

  it.each(TASK_SKILLS)('%s shows calls of its own scripts, with placeholders for values from the task', (skill) => {
    const calls = shownCalls(skill).filter((call) => call.tool_name === undefined);
    expect(calls.length).toBeGreaterThanOrEqual(3);
    for (const call of calls) {
      expect(Object.keys(call)).toEqual(['skill', 'script', 'args']);
      expect(call.skill).toBe(skill);
      expect(readFileSync(join(skillsDir, skill, call.script ?? ''), 'utf8')).toMatch(/^#!/);
      for (const arg of call.args ?? []) expect(arg).toMatch(/^--[a-z-]+$|^<[a-z]+>$/);
    }
  });

  it.each([
    ['file-search', { '<pattern>': 'TODO', '<text>': 'TODO', '<directory>': 'src' }, 'src/a.ts'],
    ['database-query', { '<file>': 'shop.db', '<values>': '[7]' }, 'x'],
  ] as const)('%s does what its calls say', async (skill, values, expected) => {
    const { provider, path } = await providerIn({ 'src/a.ts': '// TODO\n' });
    const database = new DatabaseSync(path('shop.db'));
    database.exec('CREATE TABLE t (x); INSERT INTO t VALUES (7)');
    database.close();
    for (const call of shownCalls(skill).filter(({ script }) => script !== undefined)) {
      const sql = `SELECT x FROM t WHERE x = ${call.args?.includes('<values>') ? '?' : '7'}`;
      const given: Readonly<Record<string, string>> = { ...values, '<sql>': sql };
      const args = call.args?.map((arg) => given[arg] ?? arg);
      const result = await provider.handleToolCall('use_skill', { ...call, args });
      expect(result, JSON.stringify(args)).toMatchObject({ success: true, stderr: '' });
      expect(result.stdout).toContain(expected);
    }
  });

  it('file-scaffolding does what its calls say', async () => {
    const { provider, path } = await providerIn({});
    const given: Readonly<Record<string, string>> = { '<directory>': 'web', '<props>': 'title:string' };
    for (const [index, call] of shownCalls('file-scaffolding')
      .filter(({ script }) => script !== undefined)
      .entries()) {
      const name = `UserCard${index}`;
      const args = call.args?.map((arg) => (arg === '<name>' ? name : (given[arg] ?? arg)));
      const result = await provider.handleToolCall('use_skill', { ...call, args });
      expect(result).toMatchObject({ success: true, stderr: '' });
      const directory = call.args?.includes('<directory>') ? 'web' : 'src/components';
      if (call.args?.includes('--dry-run')) expect(result.stdout).toContain(`${directory}/${name}.vue would be:`);
      else expect(readFileSync(path(`${directory}/${name}.vue`), 'utf8')).toContain('user-card');
    }
  });
});

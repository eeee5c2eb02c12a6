import { describe, expect, it } from 'vitest';
import {
  createTurnGuidance,
  type TurnGuidance,
  type TurnGuidanceOptions,
} from '../../packages/skillwright/src/agent/guidance/turn-guidance.ts';
import { estimateTokens } from '../../packages/skillwright/src/select/listing/token-estimate.ts';
import { SkillInvocationError, SkillLoader } from '../../packages/skillwright/src/index.ts';
import type { TraceEvent } from '../../packages/skillwright/src/spec/events/trace.ts';
import { proves } from '../proves.ts';
import { createSkillTree, skillText, type SkillTree } from '../support/skill-tree.ts';

const FILES = {
  'skills/file_scaffolding/SKILL.md': skillText(
    {
      name: 'file_scaffolding',
      description: 'Creates new Vue components with imports, template, script and style.',
      'argument-hint': '[name]',
    },
    '\nCreate $0 in ${CLAUDE_PROJECT_DIR}.\n',
  ),
  'skills/database_query/SKILL.md': skillText(
    { name: 'database_query', description: 'Builds SQL queries for reports from tables of a database.' },
    '\nAsk for the schema first.\n',
  ),
  'skills/project_map/SKILL.md': skillText(
    { name: 'project_map', description: 'Remembers the structure.', triggers: '[turn_start]' },
    '\nSources are in src.\n',
  ),
};

interface Opened {
  readonly tree: SkillTree;
  readonly guidance: TurnGuidance;
  readonly traces: TraceEvent[];
}

function open(files: Readonly<Record<string, string>> = FILES, more: Partial<TurnGuidanceOptions> = {}): Opened {
  const tree = createSkillTree(files);
  const loader = new SkillLoader(tree.path('skills'));
  const traces: TraceEvent[] = [];
  const guidance = createTurnGuidance({
    find: (trigger, context) => loader.findSkills(trigger, context),
    load: (name) => loader.loadSkill(name),
    preload: (names) => loader.preloadSkills(names),
    projectDir: '/project',
    runId: 'run-1',
    turnIndex: () => 0,
    onTrace: (event) => void traces.push(event),
    ...more,
  });
  return { tree, guidance, traces };
}

describe('guidance for a turn', () => {
  it('contains the skill that fits the task, under its name', async () => {
    proves('S3.agent.task', 'S3.turn.user-message');
    const { tree, guidance, traces } = open();
    const injected = await guidance.forTask('Write a SQL query for the sales report.');
    expect(injected).toEqual({
      text: `## Skill: database_query\n\nBase directory for this skill: ${tree.path('skills/database_query')}\n\nAsk for the schema first.`,
      skills: ['database_query'],
    });
    expect(traces).toMatchObject([
      {
        type: 'skill_activated',
        data: { trigger: 'task_match', context: { taskDescription: 'Write a SQL query for the sales report.' } },
      },
      { type: 'skill_loaded', data: { trigger: 'task_match', bytes: Buffer.byteLength(injected.text) } },
    ]);
  });

  it('is empty for a task that no skill fits', async () => {
    const { guidance, traces } = open();
    expect(await guidance.forTask('Good morning!')).toEqual({ text: '', skills: [] });
    expect(traces).toEqual([]);
  });

  it("passes the user's arguments to a skill that the user names", async () => {
    proves('S3.agent.explicit');
    const { guidance } = open();
    const { text, skills } = await guidance.forCommand('/file-scaffolding Button');
    expect(skills).toEqual(['file_scaffolding']);
    expect(text).toContain('\n\nCreate Button in /project.');
  });

  it('contains turn_start skills in every turn, also if the previous turn had them', async () => {
    proves('S3.agent.one-turn', 'S3.turn.user-message');
    const { guidance, traces } = open();
    const messages = Array.from({ length: 100 }, (_, n) => ({ role: 'user', content: `message ${n}` }));
    const first = await guidance.forTurn(0, messages);
    expect(first.text).toContain('Sources are in src.');
    expect(await guidance.forTurn(0, messages)).toEqual(first);
    expect(traces[0]?.data).toMatchObject({ context: { turnIndex: 0, messages: '[100 entries]' } });
  });

  it('finds skills by a custom trigger', async () => {
    const { guidance } = open();
    expect((await guidance.forTrigger('turn-start', {})).skills).toEqual(['project_map']);
    expect((await guidance.forTrigger('deploy_failed', {})).skills).toEqual([]);
  });

  it("contains the skills that a step requires, in the step's order", async () => {
    proves('S3.agent.requiredSkills');
    const { guidance, traces } = open();
    const { text, skills } = await guidance.forRequired(['project_map', 'database-query']);
    expect(skills).toEqual(['project_map', 'database_query']);
    expect(text.indexOf('Sources')).toBeLessThan(text.indexOf('schema'));
    expect(traces[0]?.data).toMatchObject({ trigger: 'required_skills', score: null });
  });

  it('leaves out a skill that the caller says is already there', async () => {
    const { guidance } = open();
    expect((await guidance.forRequired(['project_map'], { without: ['project_map'] })).text).toBe('');
    expect((await guidance.forTurn(0, [], { without: ['project_map'] })).text).toBe('');
  });

  it('rejects a step that requires an unknown skill', async () => {
    await expect(open().guidance.forRequired(['nothing'])).rejects.toThrow(SkillInvocationError);
  });
});

describe('a skill of any size', () => {
  const sized = (name: string, body: string): Record<string, string> => ({
    [`skills/${name}/SKILL.md`]: skillText({ name, description: 'Is heard.', triggers: '[turn_start]' }, `\n${body}\n`),
  });

  it.each([
    ['lines', 'A line of the instructions.\n'.repeat(10_000)],
    ['one line', 'word '.repeat(100_000)],
    ['dense script', '漢字'.repeat(50_000)],
    ['emoji', '😀'.repeat(50_000)],
  ])('is cut at 5,000 tokens if it is made of %s', async (_what, body) => {
    const { text } = await open(sized('large', body)).guidance.forTurn(0, []);
    expect(estimateTokens(text)).toBeLessThanOrEqual(5_000);
    expect(estimateTokens(text)).toBeGreaterThan(4_000);
    expect(text).toMatch(/\n\n\[shortened: load the skill for the rest\]$/);
    expect(text.isWellFormed()).toBe(true);
  });

  it('shares a limit of 25,000 tokens with others', async () => {
    const files = Array.from({ length: 8 }, (_, n) => sized(`large-${n}`, 'A line.\n'.repeat(10_000)));
    const { text, skills } = await open(Object.assign({}, ...files) as Record<string, string>).guidance.forTurn(0, []);
    expect(estimateTokens(text)).toBeLessThan(25_100);
    expect(skills.length).toBeGreaterThanOrEqual(5);
  });
});

describe('a loader that', () => {
  it.each<[string, Partial<TurnGuidanceOptions>]>([
    ['rejects when it is queried', { find: () => Promise.reject(new TypeError('No disk.')) }],
    [
      'throws when it is asked',
      {
        find: () => {
          throw new TypeError('No disk.');
        },
      },
    ],
    ['rejects when it loads', { load: () => Promise.reject(new TypeError('No disk.')) }],
  ])('%s adds nothing, and the result says why', async (_what, more) => {
    const { guidance } = open(FILES, more);
    expect(await guidance.forTurn(0, [])).toEqual({ text: '', skills: [], problem: 'No disk.' });
  });

  it('never settles is abandoned when the signal aborts', async () => {
    const controller = new AbortController();
    const { guidance } = open(FILES, { find: () => new Promise(() => {}) });
    const injected = guidance.forTask('Anything.', { signal: controller.signal });
    controller.abort();
    expect(await injected).toEqual({ text: '', skills: [] });
  });
});

import { describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import type { ExecutionEnding, Recorder } from '../../packages/skillwright/src/spec/recorder.ts';
import { createSkillTree } from '../support/skill-tree.ts';

interface Subject {
  readonly manager: SkillManager;
  /** The ends of the runs that began. */
  readonly ended: readonly (ExecutionEnding | undefined)[];
}

/** A skill with one tool, `probe`, and the records of its runs. */
function withTool(script: string, code: string, parameters: object = {}): Subject {
  const tool = { name: 'probe', description: 'Probes.', script, parameters };
  const tree = createSkillTree({
    'skills/kit/SKILL.md': '---\nname: kit\ndescription: Has a tool.\n---\nLoad me first.\n',
    'skills/kit/tools.json': JSON.stringify([tool]),
    [`skills/kit/${script}`]: code,
  });
  const ids: string[] = [];
  const ended: (ExecutionEnding | undefined)[] = [];
  const recorder: Recorder = {
    begin: ({ executionId }) => {
      ids.push(executionId);
      ended.push(undefined);
    },
    end: (ending) => void (ended[ids.indexOf(ending.executionId)] = ending),
  };
  return { manager: new SkillManager({ cwd: tree.root, projectSkillDir: 'skills', recorder }), ended };
}

function nested(levels: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const ANY = { a: { type: 'array', description: 'Anything.', items: {} } };
const OBJECT = { a: { type: 'object', description: 'Anything.' } };

describe('arguments that are nested too deep', () => {
  it.each([
    ['scripts/probe.sh', 'echo done'],
    ['scripts/probe.js', 'export default () => "done"'],
  ])('fail the run of %s, whose end is recorded', async (script, code) => {
    const { manager, ended } = withTool(script, code, ANY);
    for (const levels of [1_000, 20_000]) {
      const { isError, value, execution } = await manager.callTool('probe', { a: nested(levels) });
      expect({ isError, code: execution.code }).toEqual({ isError: true, code: 'ExecutionFailed' });
      const why =
        /^Tool 'probe' of skill 'kit' could not be started: its input (?:is nested more than|is not valid JSON)/;
      expect(value).toEqual({ error: expect.stringMatching(why) as string });
    }
    expect(await manager.callTool('probe', { a: nested(3) })).toMatchObject({ isError: false, value: 'done' });
    expect(ended.map((ending) => ending?.reason)).toEqual(['not-started', 'not-started', 'exit']);
    await manager.close();
  });
});

describe('a printed result that is nested too deep', () => {
  it('is returned as text', async () => {
    const { manager, ended } = withTool('scripts/probe.sh', "printf '[%.0s' {1..30000}; printf ']%.0s' {1..30000}");
    const { isError, value } = await manager.callTool('probe');
    expect(isError).toBe(false);
    expect(value).toMatch(/^\[{30000}\]{30000}$/);
    expect(ended.map((ending) => ending?.reason)).toEqual(['exit']);
    await manager.close();
  });
});

describe('an object that is passed as text', () => {
  it('becomes the object that a tool expects', async () => {
    const { manager } = withTool('scripts/probe.js', 'export default ({ a }) => a.b', OBJECT);
    expect(await manager.callTool('probe', { a: '{"b":"c"}' })).toMatchObject({ isError: false, value: 'c' });
    expect(await manager.callTool('probe', { a: 'b' })).toMatchObject({ isError: true });
    await manager.close();
  });
});

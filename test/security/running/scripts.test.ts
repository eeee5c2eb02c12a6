import { describe, expect, it } from 'vitest';
import { SkillManager, type SkillwrightEvent } from '../../../packages/skillwright/src/index.ts';
import { createSkillTree } from '../../support/skill-tree.ts';

const SKILL = '---\nname: tester\ndescription: Runs things.\n---\nText.\n';
const SCRIPTS = {
  'skills/tester/SKILL.md': SKILL,
  'skills/tester/scripts/deep/hello.sh': 'echo "hello from $0"\n',
  'skills/tester/scripts/fail.sh': 'exit 3\n',
  'skills/tester/scripts/hang.sh': 'sleep 300\n',
  'skills/tester/scripts/flood.sh': 'head -c 3000000 /dev/zero | tr "\\0" x\n',
};

function open(): { manager: SkillManager; events: SkillwrightEvent[] } {
  const events: SkillwrightEvent[] = [];
  const { root } = createSkillTree(SCRIPTS);
  return {
    manager: new SkillManager({ cwd: root, projectSkillDir: 'skills', onEvent: (event) => events.push(event) }),
    events,
  };
}

describe('hazards of running scripts', () => {
  it('a script in a folder of the skill runs by its relative path', async () => {
    const { manager } = open();
    for (const path of ['scripts/deep/hello.sh', './scripts/deep/hello.sh'])
      expect(await manager.runScript('tester', path)).toMatchObject({ success: true, exitCode: 0 });
  });

  it('a script that prints more than the limit is a truncated success', async () => {
    const result = await open().manager.runScript('tester', 'scripts/flood.sh');
    expect(result).toMatchObject({ success: true, truncated: { stdout: true, stderr: false } });
    expect(result.stdout.endsWith('[output truncated]')).toBe(true);
    expect(result.stdout.length).toBeLessThan(30_000);
  });

  it('every run that began has one end, however it ended', async () => {
    const { manager, events } = open();
    await manager.runScript('tester', 'scripts/deep/hello.sh');
    await manager.runScript('tester', 'scripts/fail.sh');
    await manager.runScript('tester', 'scripts/hang.sh', [], { timeout: 100 });
    await manager.runScript('tester', 'scripts/hang.sh', [], { signal: AbortSignal.timeout(100) });
    await manager.runScript('tester', 'scripts/nothing.sh');
    const begun = events.filter((event) => event.type === 'execution-start').map((event) => event.executionId);
    const ended = events.filter((event) => event.type === 'execution-end');
    expect(ended.map((event) => event.executionId)).toEqual(begun);
    expect(ended.map((event) => event.code)).toEqual([
      null,
      'ExecutionFailed',
      'ExecutionTimeout',
      'Cancelled',
      'ScriptNotFound',
    ]);
  });
});

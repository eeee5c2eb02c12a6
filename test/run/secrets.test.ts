import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SkillManager, type SkillManagerOptions, type SkillwrightEvent } from '../../packages/skillwright/src/index.ts';
import type { ExecutionBeginning, ExecutionEnding, Recorder } from '../../packages/skillwright/src/record.ts';
import { proves } from '../proves.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { createSkillTree, type TreeFiles } from '../support/skill-tree.ts';

const SKILL = '---\nname: tester\ndescription: Runs things.\n---\nText.\n';
const SECRET = 'hunter2-hunter2-"quoted"';

interface Kept {
  readonly recorder: Recorder;
  readonly beginnings: ExecutionBeginning[];
  readonly endings: ExecutionEnding[];
}

function keep(): Kept {
  const beginnings: ExecutionBeginning[] = [];
  const endings: ExecutionEnding[] = [];
  return {
    beginnings,
    endings,
    recorder: { begin: (one) => void beginnings.push(one), end: (one) => void endings.push(one) },
  };
}

function open(
  files: TreeFiles,
  options: SkillManagerOptions = {},
): { manager: SkillManager; events: SkillwrightEvent[]; root: string } {
  const tree = createSkillTree({ 'skills/tester/SKILL.md': SKILL, ...files });
  const events: SkillwrightEvent[] = [];
  const manager = new SkillManager({
    cwd: tree.root,
    projectSkillDir: 'skills',
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { manager, events, root: tree.root };
}

describe('secrets', () => {
  const secrets = { tester: { API_TOKEN: SECRET } };

  it('reach only the skill they are for', async () => {
    proves('S1.6.secrets.env', 'S1.6.secrets.not-stored');
    const show = `console.log(process.env.API_TOKEN === ${JSON.stringify(SECRET)}, process.env.API_TOKEN)`;
    const { manager } = open(
      {
        'skills/tester/show.mjs': show,
        'skills/other/SKILL.md': SKILL.replace('tester', 'other'),
        'skills/other/show.mjs': show,
      },
      { secrets },
    );
    expect((await manager.runScript('tester', 'show.mjs')).stdout).toBe('true [redacted:API_TOKEN]\n');
    expect((await manager.runScript('other', 'show.mjs')).stdout).toBe('false undefined\n');
  });

  it('are read again from a function at every run', async () => {
    let calls = 0;
    const { manager } = open(
      { 'skills/tester/show.sh': 'printf "%s" "$COUNT_TOKEN" | wc -c' },
      { secrets: () => ({ COUNT_TOKEN: 'x'.repeat(10 + (calls += 1)) }) },
    );
    expect((await manager.runScript('tester', 'show.sh')).stdout.trim()).toBe('11');
    expect((await manager.runScript('tester', 'show.sh')).stdout.trim()).toBe('12');
  });

  it('never appear in any form in output, live output, errors, results or records', async () => {
    const leak = `const s = process.env.API_TOKEN;
      process.stdout.write('plain ' + s.slice(0, 9)); await new Promise((r) => setTimeout(r, 50)); process.stdout.write(s.slice(9) + '\\n');
      console.log('base64', Buffer.from('user:' + s).toString('base64'));
      console.log('url', encodeURIComponent(s), 'json', JSON.stringify(s));
      console.error('stderr ' + s);`;
    const tool = `export default ({ how }) => { const s = process.env.API_TOKEN; if (how === 'throw') throw new Error('bad ' + s); return { [s]: [s, 'a' + s + 'b'] }; };`;
    const kept = keep();
    const { manager, events } = open(
      {
        'skills/tester/leak.mjs': leak,
        'skills/tester/tool.mjs': tool,
        'skills/tester/tools.json': JSON.stringify([
          {
            name: 'leak',
            description: 'Leaks.',
            script: 'tool.mjs',
            parameters: { how: { type: 'string', description: 'How.' } },
          },
        ]),
      },
      { secrets, recorder: kept.recorder },
    );
    const script = await manager.runScript('tester', 'leak.mjs', ['--token', SECRET]);
    const thrown = await manager.callTool('leak', { how: 'throw' });
    const answered = await manager.callTool('leak', { how: SECRET });
    expect(script.success).toBe(true);
    expect(script.stdout).toContain('plain [redacted:API_TOKEN]\nbase64 ');
    expect(thrown.value).toEqual({ error: 'bad [redacted:API_TOKEN]' });
    expect(answered.value).toEqual({
      '[redacted:API_TOKEN]': ['[redacted:API_TOKEN]', 'a[redacted:API_TOKEN]b'],
    });
    await manager.close();
    const everything = JSON.stringify([script, thrown, answered, events, kept.beginnings, kept.endings]);
    for (const form of [
      SECRET,
      'hunter2-hunter2',
      Buffer.from('hunter2-hunter').toString('base64').slice(2, -2),
      encodeURIComponent('hunter2-hunter2-"'),
    ])
      expect(everything).not.toContain(form);
  });

  it('are not partly shown when output is truncated', async () => {
    const code = `process.stdout.write('x'.repeat(90) + process.env.API_TOKEN + 'y'.repeat(500))`;
    for (const maxOutput of [95, 100, 110]) {
      const { manager, events } = open({ 'skills/tester/cut.mjs': code }, { secrets, maxOutput });
      const result = await manager.runScript('tester', 'cut.mjs');
      expect(result).toMatchObject({ success: true, truncated: { stdout: true } });
      expect(JSON.stringify([result, events])).not.toContain('hunter');
    }
  });

  it('include granted variables whose names suggest a secret', async () => {
    const { manager } = open(
      { 'skills/tester/show.sh': 'echo "$GITHUB_TOKEN $EDITOR"' },
      { env: { PATH: '/usr/bin:/bin', GITHUB_TOKEN: 'ghp_0123456789', EDITOR: 'vim-the-editor' } },
    );
    expect((await manager.runScript('tester', 'show.sh')).stdout).toBe('[redacted:GITHUB_TOKEN] vim-the-editor\n');
  });
});

describe('the environment', () => {
  it('is inherited while every skill is trusted, and one event reports that', async () => {
    const { manager, events } = open({ 'skills/tester/show.sh': 'echo "${HOME:+home}"' });
    await manager.runScript('tester', 'show.sh');
    await manager.runScript('tester', 'show.sh');
    const inherited = events.filter((event) => event.type === 'environment-inherit');
    expect(inherited).toHaveLength(1);
    expect(inherited[0]?.names).toContain('PATH');
    expect(inherited[0]?.names).not.toContain('NODE_OPTIONS');
  });

  it('is not inherited if any skill is untrusted', async () => {
    const { manager, events } = open(
      { 'skills/tester/show.sh': 'env', 'skills/guest/SKILL.md': SKILL.replace('tester', 'guest') },
      { trust: ({ realDir }) => (realDir.endsWith('guest') ? 'untrusted' : 'trusted') },
    );
    await manager.discover();
    const { stdout } = await manager.runScript('tester', 'show.sh');
    expect(events.filter((event) => event.type === 'environment-inherit')).toEqual([]);
    const names = stdout.split('\n').map((line) => line.split('=', 1)[0]);
    expect(names).toContain('PATH');
    expect(names).not.toContain('VITEST');
  });
});

describe('a recorder', () => {
  const SAY = { 'skills/tester/say.sh': 'echo said; echo note >&2; exit 3' };

  it('is told of a run before anything starts, and then of its end', async () => {
    const { beginnings, endings, recorder } = keep();
    const order: string[] = [];
    const slow: Recorder = {
      begin: async (one) => {
        await pause(20);
        order.push('begun');
        return recorder.begin(one);
      },
      end: (one) => recorder.end(one),
    };
    const { manager, events, root } = open(SAY, { recorder: slow, onEvent: (event) => order.push(event.type) });
    expect(events).toEqual([]);
    const result = await manager.runScript('tester', 'say.sh', ['a'], { caller: 'model', session: 's1' });
    expect(order.filter((one) => /begun|execution/.test(one)).slice(0, 2)).toEqual(['begun', 'execution-start']);
    expect(beginnings).toEqual([
      {
        executionId: result.executionId,
        kind: 'script',
        skill: 'tester',
        version: null,
        baseDir: `${root}/skills/tester`,
        target: 'say.sh',
        args: ['a'],
        caller: 'model',
        session: 's1',
        tenant: null,
        trust: 'trusted',
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      },
    ]);
    expect(endings).toEqual([
      {
        executionId: result.executionId,
        reason: 'exit',
        success: false,
        exitCode: 3,
        code: 'ExecutionFailed',
        error: result.error,
        tier: 'process',
        durationMs: result.durationMs,
        stdout: 'said\n',
        stderr: 'note\n',
        stdoutBytes: 5,
        stderrBytes: 5,
        value: null,
        endedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      },
    ]);
  });

  it('is told the tenant of a run', async () => {
    const { beginnings, recorder } = keep();
    const { manager } = open(SAY, { recorder });
    await manager.runScript('tester', 'say.sh', [], { tenant: 'acme' });
    expect(beginnings).toMatchObject([{ session: null, tenant: 'acme' }]);
  });

  it('prevents a run if it fails at the beginning', async () => {
    const recorder: Recorder = {
      begin: () => Promise.reject(new TypeError('disk full')),
      end: () => expect.unreachable(),
    };
    const { manager } = open({ 'skills/tester/touch.sh': 'touch ran' }, { recorder });
    const result = await manager.runScript('tester', 'touch.sh');
    expect(result).toMatchObject({ success: false, code: 'ExecutionFailed' });
    expect(result.error).toContain('could not be recorded: disk full');
    expect(manager.listFiles('tester').map(({ path }) => path)).not.toContain('ran');
  });

  it('does not change a run’s result if it fails at the end, and the failure is logged', async () => {
    const { logger, records } = createRecordingLogger();
    const recorder: Recorder = {
      begin: () => {},
      end: () => {
        throw new TypeError('gone');
      },
    };
    const { manager } = open(SAY, { recorder, logger });
    expect(await manager.runScript('tester', 'say.sh')).toMatchObject({ exitCode: 3 });
    await pause(1);
    expect(records.some(({ level, message }) => level === 'error' && message.includes('could not be recorded'))).toBe(
      true,
    );
  });

  it('is also told of refused runs', async () => {
    const { endings, recorder } = keep();
    const { manager } = open(SAY, { recorder });
    await manager.runScript('tester', '../../etc/passwd');
    await manager.runScript('tester', 'missing.sh');
    expect(endings.map(({ reason, code, tier }) => [reason, code, tier])).toEqual([
      ['refused', 'ScriptNotAllowed', 'process'],
      ['refused', 'ScriptNotFound', 'process'],
    ]);
  });

  it('is told why each run ended', async () => {
    const { endings, recorder } = keep();
    const { manager } = open({ 'skills/tester/wait.sh': 'sleep 60' }, { recorder });
    await manager.runScript('tester', 'wait.sh', [], { timeout: 100 });
    await manager.runScript('tester', 'wait.sh', [], { signal: AbortSignal.timeout(100) });
    expect(endings.map(({ reason, code }) => [reason, code])).toEqual([
      ['timeout', 'ExecutionTimeout'],
      ['cancelled', 'Cancelled'],
    ]);
  });
});

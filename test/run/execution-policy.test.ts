import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  SkillManager,
  type ApprovalAnswer,
  type ApprovalRequest,
  type SkillManagerOptions,
} from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { createSkillTree } from '../support/skill-tree.ts';

const SKILL = '---\nname: tester\ndescription: Runs things.\nversion: 1.2.3\n---\nText.\n';
const MODEL = { caller: 'model' } as const;

const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;
if (!hasBubblewrap) console.warn('SKIPPED: a skill that is not trusted, because bubblewrap is not installed.');

function open(options: SkillManagerOptions = {}, skill = SKILL): { manager: SkillManager; root: string } {
  const tree = createSkillTree({
    'skills/tester/SKILL.md': skill,
    'skills/tester/say.sh': 'echo said "$@"',
    'skills/tester/other.sh': 'echo other',
    'skills/tester/tools.json': JSON.stringify([{ name: 'say', description: 'Says.', script: 'say.sh' }]),
  });
  return { manager: new SkillManager({ cwd: tree.root, projectSkillDir: 'skills', ...options }), root: tree.root };
}

function asking(answer: unknown): { requests: ApprovalRequest[]; approve: () => Promise<ApprovalAnswer> } {
  const requests: ApprovalRequest[] = [];
  const approve = async (request?: ApprovalRequest): Promise<ApprovalAnswer> => {
    if (request !== undefined) requests.push(request);
    return answer as ApprovalAnswer;
  };
  return { requests, approve };
}

describe('the execution policy', () => {
  it('auto lets the model run trusted skills', async () => {
    proves('S4.policy.auto');
    const { manager } = open({ policy: { execution: 'auto' } });
    expect(await manager.runScript('tester', 'say.sh', [], MODEL)).toMatchObject({ success: true, stdout: 'said\n' });
  });

  it('manual allows explicit calls only', async () => {
    proves('S4.policy.manual');
    const { manager } = open({ policy: { execution: 'manual' } });
    const refused = await manager.runScript('tester', 'say.sh', [], MODEL);
    expect(refused).toMatchObject({ success: false, code: 'ApprovalRequired', stdout: '', exitCode: -1 });
    expect(refused.error).toContain("'say.sh' of skill 'tester' may only be run by a person");
    expect(await manager.runScript('tester', 'say.sh')).toMatchObject({ success: true });
    const { value, isError } = await manager.callTool('say', {}, MODEL);
    expect([isError, value]).toEqual([true, { error: expect.stringContaining('only be run by a person') as unknown }]);
  });

  it('hybrid asks a user, with all details of the run', async () => {
    proves('S4.policy.hybrid', 'S1.11.confirm');
    const { requests, approve } = asking('once');
    const { manager } = open({ policy: { execution: 'hybrid' }, approve });
    const result = await manager.runScript('tester', 'say.sh', ['x'], { ...MODEL, session: 'talk' });
    expect(result).toMatchObject({ success: true, stdout: 'said x\n' });
    expect(requests).toEqual([
      {
        executionId: result.executionId,
        skill: 'tester',
        version: '1.2.3',
        digest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        kind: 'script',
        target: 'say.sh',
        args: ['x'],
        trust: 'trusted',
        tier: 'process',
        network: false,
        session: 'talk',
        signal: expect.any(AbortSignal) as unknown,
      },
    ]);
    await manager.runScript('tester', 'say.sh', ['x'], MODEL);
    expect(requests).toHaveLength(2);
  });

  it('hybrid refuses if nobody can be asked', async () => {
    const { manager } = open({ policy: { execution: 'hybrid' } });
    expect(await manager.runScript('tester', 'say.sh', [], MODEL)).toMatchObject({
      code: 'ApprovalRequired',
      started: false,
      error: expect.stringContaining("this program cannot ask for one. Set the option 'approve'.") as string,
    });
    expect(await manager.runScript('tester', 'say.sh')).toMatchObject({ success: true });
  });

  it.each([['deny'], [undefined], [true], ['ALWAYS'], [{}]])('treats the answer %j as a denial', async (answer) => {
    const { manager } = open({ policy: { execution: 'hybrid' }, approve: asking(answer).approve });
    expect(await manager.runScript('tester', 'say.sh', [], MODEL)).toMatchObject({
      code: 'ApprovalDenied',
      stdout: '',
    });
  });

  it('treats an exception in approve as a denial', async () => {
    const approve = (): never => {
      throw new TypeError('no terminal');
    };
    const { manager } = open({ policy: { execution: 'hybrid' }, approve });
    expect(await manager.runScript('tester', 'say.sh', [], MODEL)).toMatchObject({ code: 'ApprovalDenied' });
  });

  it('remembers an approval for the conversation, for one target only', async () => {
    const { requests, approve } = asking('conversation');
    const { manager } = open({ policy: { execution: 'hybrid' }, approve });
    for (const session of ['a', 'a', 'b', 'a']) await manager.runScript('tester', 'say.sh', [], { ...MODEL, session });
    expect(requests.map((request) => request.session)).toEqual(['a', 'b']);
    await manager.runScript('tester', 'other.sh', [], { ...MODEL, session: 'a' });
    await manager.runScript('tester', 'say.sh', [], MODEL);
    await manager.runScript('tester', 'say.sh', [], MODEL);
    expect(requests).toHaveLength(5);
  });

  it('remembers an approval for always until the skill changes', async () => {
    const { requests, approve } = asking('always');
    const { manager, root } = open({ policy: { execution: 'hybrid' }, approve });
    for (let run = 0; run < 3; run += 1) await manager.runScript('tester', 'say.sh', [], MODEL);
    expect(requests).toHaveLength(1);
    writeFileSync(`${root}/skills/tester/say.sh`, 'echo changed');
    expect(await manager.runScript('tester', 'say.sh', [], MODEL)).toMatchObject({ stdout: 'changed\n' });
    expect(requests).toHaveLength(2);
    expect(requests[0]?.digest).not.toBe(requests[1]?.digest);
  });

  it('stops waiting for an approval when the run is cancelled', async () => {
    const abort = new AbortController();
    const approve = (request: ApprovalRequest): Promise<ApprovalAnswer> => {
      queueMicrotask(() => abort.abort());
      return new Promise((resolve) => {
        request.signal.addEventListener('abort', () => resolve('once'));
      });
    };
    const { manager } = open({ policy: { execution: 'hybrid' }, approve });
    const result = await manager.runScript('tester', 'say.sh', [], { ...MODEL, signal: abort.signal });
    expect(result).toMatchObject({ code: 'Cancelled', stdout: '' });
  });

  it('may be set for individual skills, or by a function', async () => {
    const named = open({ policy: { execution: { tester: 'manual', '*': 'auto' } } });
    expect(await named.manager.runScript('tester', 'say.sh', [], MODEL)).toMatchObject({ code: 'ApprovalRequired' });
    const others = open({ policy: { execution: { another: 'manual', '*': 'auto' } } });
    expect(await others.manager.runScript('tester', 'say.sh', [], MODEL)).toMatchObject({ success: true });
    const asked = open({ policy: { execution: (skill) => (skill.name === 'tester' ? 'manual' : undefined) } });
    expect(await asked.manager.runScript('tester', 'say.sh', [], MODEL)).toMatchObject({ code: 'ApprovalRequired' });
  });

  it.skipIf(!hasBubblewrap)('asks before a model runs an untrusted skill by default', async () => {
    proves('S1.11.confirm', 'S1.11.trust');
    const { manager } = open({ trust: 'untrusted' });
    expect(await manager.runScript('tester', 'say.sh', [], MODEL)).toMatchObject({ code: 'ApprovalRequired' });
  });
});

describe('before a run starts', () => {
  it('a skill that is off runs nothing', async () => {
    const { manager } = open({}, SKILL.replace('version:', 'mode: off\nversion:'));
    expect(await manager.runScript('tester', 'say.sh')).toMatchObject({ code: 'Disabled', exitCode: -1 });
  });

  it.each<[string, string]>([
    ['bins: [no-such-program-here]', 'the program no-such-program-here (not on PATH)'],
    ['env: [NO_SUCH_VARIABLE]', 'the environment variable NO_SUCH_VARIABLE (not set)'],
    ['os: [plan9]', `the operating system plan9 (this is ${process.platform})`],
  ])('a missing requirement is reported: %s', async (requires, missing) => {
    const { manager } = open({}, SKILL.replace('version:', `requires:\n  ${requires}\nversion:`));
    const result = await manager.runScript('tester', 'say.sh');
    expect(result).toMatchObject({ success: false, code: 'RequirementsMissing' });
    expect(result.error).toContain(missing);
    expect(await manager.callTool('say')).toMatchObject({ isError: true, execution: { code: 'RequirementsMissing' } });
  });

  it('secrets count as present variables', async () => {
    const skill = SKILL.replace('version:', 'requires:\n  env: [TOKEN]\nversion:');
    const { manager } = open({ secrets: { tester: { TOKEN: 'abcdefgh' } } }, skill);
    expect(await manager.runScript('tester', 'say.sh')).toMatchObject({ success: true });
  });

  it.each<[SkillManagerOptions, string]>([
    [{ sandbox: 'jail' as never }, "Option 'sandbox' must be one of inprocess, process"],
    [{ sandbox: { min: 'strong' as never } }, "Option 'sandbox.min' must be one of"],
    [{ sandbox: { netwrok: true } as never }, "Option 'sandbox.netwrok' is not known"],
    [{ sandbox: { workspace: 'all' as never } }, "Option 'sandbox.workspace' must be one of none, read, write"],
    [{ sandbox: { limits: { memoryBytes: 0 } } }, "Option 'sandbox.limits.memoryBytes' must be a whole number above 0"],
    [{ policy: { execution: 'ask' as never } }, "Option 'policy.execution' must be one of auto, manual, hybrid"],
    [{ policy: { execution: { x: 'ask' as never } } }, "Option 'policy.execution.x' must be one of"],
    [{ policy: { minIsolation: 'some' as never } }, "Option 'policy.minIsolation' must be one of"],
    [{ approve: 'yes' as never }, "Option 'approve' must be a function"],
    [{ recorder: {} as never }, "Option 'recorder' must have the methods begin and end"],
    [{ sandboxes: [{}] as never }, "Option 'sandboxes' must have the methods probe and launch"],
    [{ secrets: { x: { TOKEN: 5 as never } } }, "Option 'secrets.x.TOKEN' must be a string"],
    [{ secrets: 'x' as never }, "Option 'secrets' must be an object of skill names"],
    [{ env: { A: 'b\0c' } }, "Option 'env.A' must be a string without NUL bytes"],
    [{ env: { 'A=B': 'c' } }, "Option 'env' has a variable that cannot be set"],
    [{ workers: { max: 0 } }, "Option 'workers.max' must be a whole number from 1"],
    [{ workers: 5 as never }, "Option 'workers' must be an object"],
  ])('an invalid option is an error: %j', (options, message) => {
    expect(() => open(options)).toThrow(message);
  });
});

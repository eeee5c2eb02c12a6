import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { createBench, isRoot } from '../../conformance/sandbox/sandbox-setup.ts';
import { REACH_INTO_PROCESSES } from '../../conformance/sandbox/reaching.ts';
import { proves } from '../../proves.ts';

const SOURCE = fileURLToPath(new URL('../../../packages/skillwright/src/', import.meta.url));
const USER = 12_345;
const notRoot = isRoot ? undefined : 'it can only be set up by root';

describe('the user of programs in bubblewrap', () => {
  const bench = createBench('users in bubblewrap', createBubblewrapSandbox());
  beforeAll(() => bench.prepare());
  afterAll(() => bench.finish());

  it(
    'is a different unprivileged user for each program that root starts',
    bench.hostRow(['hidesFiles'], notRoot, async () => {
      proves('S1.11.least-privilege');
      const launch = { workspace: 'none' } as const;
      const users = await Promise.all([
        bench.shell('id -u', { launch }),
        bench.shell('id -u; id -un; id -gn', { launch }),
      ]);
      const [first, second] = users.map(({ stdout }) => stdout.text.trim().split('\n'));
      expect(Number(first?.[0])).toBeGreaterThan(65_533);
      expect(Number(second?.[0])).toBeGreaterThan(65_533);
      expect(first?.[0]).not.toBe(second?.[0]);
      expect(second?.slice(1)).toEqual(['skill', 'skill']);
    }),
  );

  it(
    'cannot read files that only root may read',
    bench.hostRow(['hidesFiles'], notRoot, async () => {
      writeFileSync(join(bench.skill, 'key'), 'private\n', { mode: 0o600 });
      const outcome = await bench.shell(`cat ${bench.skill}/key; cat ${bench.skill}/SKILL.md`);
      expect(outcome.stdout.text).toBe('the skill\n');
    }),
  );

  it(
    "writes a workspace as the workspace's owner",
    bench.hostRow(['hidesFiles'], notRoot, async () => {
      const theirs = join(bench.root, 'theirs');
      const roots = join(bench.root, 'roots');
      for (const path of [theirs, roots]) mkdirSync(path, { mode: 0o755 });
      chownSync(theirs, USER, USER);
      const outcome = await bench.shell('echo made > made; stat -c %u made', { launch: { cwd: theirs } });
      expect(outcome.stdout.text.trim()).toBe(String(USER));
      expect(readFileSync(join(theirs, 'made'), 'utf8')).toBe('made\n');
      const refused = await bench.shell('echo made > made', { launch: { cwd: roots } });
      expect([refused.exitCode === 0, existsSync(join(roots, 'made'))]).toEqual([false, false]);
    }),
  );

  it("can be the host's own unprivileged user, without weakening the tier's promises", async ({ skip }) => {
    skip(!isRoot, 'the conformance rows are this test when root does not run them');
    const probe = await bench.sandbox.probe();
    skip(!probe.available, 'the bubblewrap tier is not available here');
    const home = join(bench.root, 'home');
    const own = join(home, '.held', 'inner');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'SKILL.md'), 'mine\n');
    for (const path of [home, join(home, '.held'), own]) chownSync(path, USER, USER);
    chmodSync(bench.root, 0o755);
    const report = asUser(bench.skill, home, bench.secret);
    skip(
      report.stderr.includes('EACCES') || report.stderr.includes('ERR_MODULE_NOT_FOUND'),
      'another user cannot read this directory',
    );
    expect(report.stderr).toBe('');
    const { detail, ...seen } = JSON.parse(report.stdout) as Record<string, string>;
    expect(detail).toContain('in a user namespace');
    expect(seen).toEqual({
      user: String(USER),
      secret: 'hidden',
      skill: 'kept',
      network: 'none',
      root: 'read-only',
      namespaces: 'refused',
      forks: 'begun',
      survivors: '0',
      traced: expect.stringMatching(/^(?:refused|no python)$/) as unknown,
      memory: 'closed',
      renamed: 'mine',
      made: 'made',
    });
  });
});

function asUser(skill: string, home: string, secret: string): SpawnSyncReturns<string> {
  const program = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { createBubblewrapSandbox } from ${JSON.stringify(join(SOURCE, 'process/bubblewrap/sandbox.ts'))};
    import { runProgram } from ${JSON.stringify(join(SOURCE, 'run/scripts/run-program.ts'))};
    import { DEFAULT_SANDBOX_LIMITS } from ${JSON.stringify(join(SOURCE, 'spec/sandbox.ts'))};
    const sandbox = createBubblewrapSandbox();
    const shIn = (code, skillDir) => sh(code, 15000, {}, skillDir);
    const sh = async (code, timeoutMs = 15000, limits = {}, skillDir = ${JSON.stringify(skill)}) => {
      const launch = { executionId: 'user-run', program: '/bin/sh', args: ['-c', code], cwd: ${JSON.stringify(home)}, env: { PATH: '/usr/bin:/bin' },
        skillDir, workspace: 'write', network: false, limits: { ...DEFAULT_SANDBOX_LIMITS, ...limits }, channel: false };
      return (await runProgram(sandbox, { launch, timeoutMs, maxOutputBytes: 20480 })).stdout.text.trim();
    };
    const probe = await sandbox.probe();
    const marker = '86400.' + process.hrtime.bigint();
    await sh('env -i setsid sleep ' + marker + ' & sleep ' + marker, 300);
    const left = readdirSync('/proc').filter((pid) => { try { return readFileSync('/proc/' + pid + '/cmdline', 'latin1').includes(marker) } catch { return false } });
    const report = {
      detail: probe.detail ?? probe.reason,
      user: await sh('id -u'),
      secret: await sh('cat ${secret} 2>/dev/null || echo hidden'),
      skill: await sh('touch ${skill}/new 2>/dev/null && echo changed || echo kept'),
      network: await sh('test "$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " ")" = lo && echo none'),
      root: await sh('touch /x /dev/x 2>/dev/null && echo written || echo read-only'),
      namespaces: await sh('unshare -U true 2>/dev/null && echo made || echo refused'),
      forks: await sh('echo begun; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1 & done 2>/dev/null; echo all', 15000, { processes: 6 }),
      survivors: String(left.length),
      // This user's programs and the first process of their sandbox have the same user id.
      traced: await sh(${JSON.stringify(REACH_INTO_PROCESSES)}),
      memory: await sh('(: >> /proc/1/mem) 2>/dev/null && echo written || echo closed'),
      renamed: await shIn('mkdir -p .moved; mv .held .moved 2>/dev/null; mkdir -p .held/inner; echo other > .held/inner/SKILL.md; cat .held/inner/SKILL.md', ${JSON.stringify(join(home, '.held', 'inner'))}),
      made: await sh('echo made > made; cat made'),
    };
    console.log(JSON.stringify(report))`;
  return spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    encoding: 'utf8',
    uid: USER,
    gid: USER,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    timeout: 28_000,
  });
}

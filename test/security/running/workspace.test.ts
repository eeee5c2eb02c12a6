import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInit } from '../../../packages/skillwright/src/process/bubblewrap/init.ts';
import { findMisplaced } from '../../../packages/skillwright/src/process/bubblewrap/places.ts';
import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { createBench } from '../../conformance/sandbox/sandbox-setup.ts';

describe('a skill in a workspace that its programs may write', () => {
  const bench = createBench('skills in workspaces', createBubblewrapSandbox());
  const holder = join(bench.workspace, 'a holder', 'skills');
  const own = join(holder, 'own');
  beforeAll(async () => {
    await bench.prepare();
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'SKILL.md'), 'own\n');
    for (const path of [join(bench.workspace, 'a holder'), holder, own]) chmodSync(path, 0o777);
    mkdirSync(join(bench.root, 'outside', 'skills', 'own'), { recursive: true });
    writeFileSync(join(bench.root, 'outside', 'skills', 'own', 'SKILL.md'), 'outside\n');
  });
  afterAll(() => bench.finish());

  it(
    'stays the same skill for later runs',
    bench.row(['protectsSkill'], async () => {
      const code = `mv "a holder" moved; mkdir -p "a holder/skills/own"; echo evil > "a holder/skills/own/SKILL.md"
        rm -rf "a holder"; ln -sfn /tmp "a holder/skills"; echo tried`;
      const outcome = await bench.shell(code, { launch: { skillDir: own } });
      expect(outcome.stdout.text).toBe('tried\n');
      expect(readFileSync(join(own, 'SKILL.md'), 'utf8')).toBe('own\n');
    }),
  );

  it(
    'is not mounted from elsewhere through a link that is placed on its path at that moment',
    bench.row(['protectsSkill'], async () => {
      const outside = join(bench.root, 'outside', 'skills');
      const found = [
        await misplacedIn(bench.workspace, [holder, own], [holder, own]),
        // The path that bubblewrap mounts when there is a link on the way.
        await misplacedIn(bench.workspace, [outside, join(outside, 'own')], [holder, own]),
        await misplacedIn(bench.workspace, [holder, join(outside, 'own')], [holder, own]),
      ];
      expect(found).toEqual([undefined, holder, own]);
    }),
  );
});

/** Mounts each source at its path in a sandbox, and returns the first path that `findMisplaced` reports. */
async function misplacedIn(
  workspace: string,
  sources: readonly string[],
  paths: readonly string[],
): Promise<string | undefined> {
  const mounts = paths.flatMap((path, index) => ['--bind', sources[index] ?? path, path]);
  const system = ['--ro-bind', '/', '/', '--bind', workspace, workspace];
  const args = ['--unshare-pid', '--die-with-parent', ...system, ...mounts, '/bin/sh', '-c', 'echo up; read line'];
  const child = spawn('bwrap', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const misplaced = findMisplaced(findInit(child.pid ?? 0)?.pid ?? 0, paths);
  child.stdin.end();
  await once(child, 'exit');
  return misplaced;
}

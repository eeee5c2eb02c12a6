import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isRoot, type SandboxBench } from './sandbox-setup.ts';

const notRoot = isRoot ? undefined : 'it can only be set up by root';

/** Which of the host's files a program can see and change. */
export function describeHiding(bench: SandboxBench): void {
  const { row, hostRow, node, shell, root, skill, workspace, secret, traits } = bench;
  const attempt = (code: string): string =>
    `try { ${code}; console.log('done') } catch (error) { console.log(error.code) }`;
  const reads = async (path: string): Promise<string> =>
    (await node(attempt(`require('fs').readFileSync(${JSON.stringify(path)})`))).stdout.text.trim();

  it(
    'cannot read a secret that is granted to no program',
    row(['hidesFiles'], async () => {
      for (const path of [
        secret,
        '/etc/shadow',
        '/etc/passwd-',
        join(homedir(), '.profile'),
        join(process.cwd(), 'package.json'),
      ])
        expect([path, await reads(path)]).toEqual([path, expect.stringMatching(/^(?:ENOENT|EACCES)$/)]);
    }),
  );

  it(
    "sees no user's home, and nothing of the host in its own",
    row(['hidesFiles'], async () => {
      const system = traits.hasOwnSystem ? '' : '/var /run /sys';
      const code = `ls -A /home /root ${system} /mnt /media /srv /boot 2>/dev/null; ls -A "$HOME" /etc/ssh 2>/dev/null; cat /etc/passwd`;
      const skillDir = traits.hasOwnSystem ? skill : '/usr/bin';
      const { stdout, reason } = await shell(code, { launch: { skillDir, workspace: 'none' } });
      expect(reason).toBe('exit');
      const lines = stdout.text.split('\n').filter((line) => line !== '' && !line.endsWith(':'));
      expect(
        lines.filter(
          (line) => !/^(?:root|skill):x:/.test(line) && !root.includes(line) && !process.execPath.includes(line),
        ),
      ).toEqual([]);
    }),
  );

  it(
    'cannot write outside its own directories',
    row(['hidesFiles'], async () => {
      const paths = [
        '/x',
        '/usr/x',
        '/usr/bin/x',
        '/etc/x',
        '/etc/passwd',
        '/dev/x',
        '/bin/x',
        '/proc/sys/kernel/hostname',
      ];
      const code = `for (const path of ${JSON.stringify(paths)}) ${attempt(`require('fs').writeFileSync(path, 'x')`)}`;
      const answers = (await node(code)).stdout.text.trim().split('\n');
      expect(answers).toHaveLength(paths.length);
      expect(answers.filter((answer) => !/^(?:EROFS|EACCES|EPERM|ENOENT)$/.test(answer))).toEqual([]);
      // Besides the workspace, the program may have a writable place of its own that is not on the host.
      await shell(`echo x > ${join(root, 'x')}; echo x > ${secret}`);
      expect(readFileSync(secret, 'utf8')).toBe('top secret\n');
      expect(existsSync(join(root, 'x'))).toBe(false);
    }),
  );

  it(
    'cannot change the skill, wherever it lies',
    row(['protectsSkill'], async () => {
      const inside = join(workspace, 'inside');
      mkdirSync(inside, { recursive: true });
      writeFileSync(join(inside, 'SKILL.md'), 'the skill\n');
      chmodSync(inside, 0o777);
      chmodSync(join(inside, 'SKILL.md'), 0o666);
      for (const skillDir of [skill, inside]) {
        for (const cwd of [workspace, skillDir]) {
          const code = `echo x > ${skillDir}/SKILL.md; rm -f ${skillDir}/SKILL.md; touch ${skillDir}/new; mv ${skillDir} ${workspace}/moved; cat ${skillDir}/SKILL.md`;
          const outcome = await shell(code, { launch: { skillDir, cwd } });
          expect(outcome.stdout.text).toBe('the skill\n');
          expect(existsSync(join(skillDir, 'new'))).toBe(false);
          expect(readFileSync(join(skillDir, 'SKILL.md'), 'utf8')).toBe('the skill\n');
        }
      }
    }),
  );

  it(
    'cannot replace its own skill by renaming the directory above it',
    row(['protectsSkill'], async () => {
      const held = join(workspace, '.holder', 'skills');
      const skillDir = join(held, 'deep');
      mkdirSync(skillDir, { recursive: true });
      writeFileSync(join(skillDir, 'SKILL.md'), 'the skill\n');
      for (const path of [join(workspace, '.holder'), held, skillDir]) chmodSync(path, 0o777);
      const attempts = ['.holder', '.holder/skills', '.holder/skills/deep'].map(
        (path) => `mv ${path} moved; mkdir -p ${path}; echo other > ${path}/SKILL.md; rm -rf ${path}`,
      );
      const code = `${attempts.join('\n')}\ncat ${skillDir}/SKILL.md; echo beside > .holder/skills/beside; cat .holder/skills/beside`;
      for (const skillCopy of [undefined, skill]) {
        const { stdout } = await shell(code, { launch: { skillDir, skillCopy } });
        expect(stdout.text).toBe('the skill\nbeside\n');
        expect(readFileSync(join(skillDir, 'SKILL.md'), 'utf8')).toBe('the skill\n');
        // Files beside the skill belong to the workspace and can be written.
        expect(readFileSync(join(held, 'beside'), 'utf8')).toBe('beside\n');
      }
    }),
  );

  it(
    'gets an empty workspace of its own, or the granted one to read or write',
    row(['hidesFiles'], async () => {
      writeFileSync(join(workspace, 'mine.txt'), 'mine\n');
      const code = 'cat mine.txt; echo new > made.txt && cat made.txt';
      const outcomes = [];
      for (const granted of ['none', 'read', 'write'] as const) {
        const { stdout } = await shell(code, { launch: { workspace: granted } });
        outcomes.push([granted, stdout.text, existsSync(join(workspace, 'made.txt'))]);
      }
      expect(outcomes).toEqual([
        ['none', 'new\n', false],
        ['read', 'mine\n', false],
        ['write', 'mine\nnew\n', true],
      ]);
    }),
  );

  it(
    'cannot have a system directory as workspace',
    row(['hidesFiles'], async () => {
      for (const cwd of ['/', '/usr', '/etc', '/proc/self', '/dev']) {
        const outcome = await shell('true', { launch: { cwd, workspace: 'write' } });
        expect([cwd, outcome.reason, outcome.cause]).toEqual([
          cwd,
          'not-started',
          expect.objectContaining({ code: 'LaunchFailed' }),
        ]);
      }
      expect(await shell('pwd', { launch: { cwd: '/', workspace: 'none' } })).toMatchObject({ exitCode: 0 });
    }),
  );

  it(
    "shows a copy of the skill in the skill's place",
    row(['hidesFiles'], async () => {
      const copy = join(root, 'copy');
      mkdirSync(join(copy, 'scripts'), { recursive: true });
      writeFileSync(join(copy, 'SKILL.md'), 'the copy\n');
      const { stdout } = await shell('cat SKILL.md; ls -d scripts', { launch: { skillCopy: copy, cwd: skill } });
      expect(stdout.text).toBe('the copy\nscripts\n');
      const elsewhere = await shell(`cat ${skill}/SKILL.md; ls ${copy}`, { launch: { skillCopy: copy } });
      expect(elsewhere.stdout.text).toBe('the copy\n');
      writeFileSync(join(copy, 'scripts', 'only-there'), '#!/bin/sh\npwd\n', { mode: 0o755 });
      const program = join(skill, 'scripts', 'only-there');
      const started = await bench.run({ launch: { skillCopy: copy, program, cwd: join(skill, 'scripts') } });
      expect(started.stdout.text).toBe(`${join(skill, 'scripts')}\n`);
      const missing = await shell('true', { launch: { skillCopy: copy, cwd: join(skill, 'nowhere') } });
      expect(missing.reason).toBe('not-started');
    }),
  );

  it(
    'shows the skill under its other known name',
    row(['hidesFiles'], async () => {
      const named = join(root, 'links', 'named');
      mkdirSync(join(root, 'links'), { recursive: true });
      symlinkSync('../skill', named);
      const env = { PATH: '/usr/bin:/bin', SKILL_DIR: named };
      expect((await shell('cat "$SKILL_DIR/SKILL.md"', { launch: { env } })).stdout.text).toBe('the skill\n');
      const started = await shell('pwd -P', { launch: { cwd: named } });
      expect(started.stdout.text.trim()).toBe(skill);
    }),
  );

  it(
    'reads a skill that only root could reach, but none of its files that only root may read',
    hostRow(['hidesFiles'], notRoot, async () => {
      // `mkdtemp` closes the directory to others.
      writeFileSync(join(skill, 'private.txt'), 'private\n', { mode: 0o600 });
      expect(await reads(join(skill, 'SKILL.md'))).toBe('done');
      expect(await reads(join(skill, 'private.txt'))).toBe('EACCES');
    }),
  );

  it(
    'gains nothing from a program that belongs to root',
    hostRow(['hidesFiles'], notRoot, async () => {
      const program = join(skill, 'become-root');
      copyFileSync('/usr/bin/id', program);
      chmodSync(program, 0o4755);
      const { stdout } = await shell(
        `${program} -u; ${program} -ru; grep -E '^(NoNewPrivs|CapEff|CapPrm|CapBnd|CapAmb)' /proc/self/status`,
      );
      const [effective, real, ...flags] = stdout.text.trim().split('\n');
      expect([effective, Number(effective) > 0]).toEqual([real, true]);
      expect(flags.map((line) => line.split('\t')[1])).toEqual([
        '0000000000000000',
        '0000000000000000',
        '0000000000000000',
        '0000000000000000',
        '1',
      ]);
    }),
  );
}

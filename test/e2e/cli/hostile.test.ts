import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import { makeDirectory, runHere, skillFile, spawnCli } from './cli-runner.ts';

const posix = process.platform !== 'win32';
const evil = '\u001B[31mred\u001B[0m\u001B]0;title\u0007\u009B2J\u202Eesrever\u2066\u200B\u0008';
const quoted = JSON.stringify(`x${evil}`).replaceAll('\u009B', String.raw`\x9b`);

/** Characters that control a terminal or deceive a reader; line ends are ours. */
const steering = /[[\p{Cc}\p{Bidi_Control}\u200B]--[\n]]/v;

function makeHostile(): string {
  const parameter = { [`p${evil}`]: { type: `string${evil}`, description: evil, default: evil, enum: [evil] } };
  return makeDirectory({
    'skills/ansi/SKILL.md': skillFile(
      {
        name: quoted,
        description: quoted,
        license: quoted,
        version: quoted,
        tags: `[${quoted}]`,
        'argument-hint': quoted,
        'allowed-tools': `[${quoted}]`,
        metadata: `{ ${quoted}: ${quoted} }`,
        [quoted]: quoted,
        requires: `{ bins: [${quoted}] }`,
      },
      `Body ${evil}`,
    ),
    'skills/ansi/tools.json': JSON.stringify([
      { name: 'clash', description: evil, parameters: parameter },
      { name: `bad${evil}`, description: 'x' },
    ]),
    'skills/twin/SKILL.md': skillFile({ name: quoted, description: quoted }),
    'skills/other/SKILL.md': skillFile({ name: 'other', description: quoted }),
    'skills/other/tools.json': JSON.stringify([{ name: 'clash', description: evil }]),
    ...(posix
      ? { [`skills/dir${evil}\n/SKILL.md`]: '---\nname: x\n---\n', [`skills/ansi/file${evil}\n.txt`]: 'x' }
      : {}),
  });
}

describe('text in skills', () => {
  it.each([
    ['list', '--tools'],
    ['show', 'ansi', '--body', '--files'],
    ['show', 'no-such'],
    ['validate'],
    ['validate', '--format', 'github'],
    ['doctor'],
    ['invoke', 'ansi', evil],
    ['tour', '--dir', 'skills'],
    ['list', '--json'],
    ['show', 'ansi', '--body', '--json'],
    ['validate', '--json'],
    ['validate', '--format', 'sarif'],
    ['doctor', '--json'],
    ['invoke', 'ansi', '--json'],
  ])('never controls the terminal: %s %s', async (...args) => {
    const cwd = makeHostile();
    const terminal = { isTty: true, isErrorTty: true, columns: 80, cwd };
    const plain = await runHere(args, { ...terminal, env: { NO_COLOR: '1' } });
    expect(plain.stdout + plain.stderr).not.toMatch(steering);
    expect((plain.stdout + plain.stderr).length).toBeGreaterThan(20);
    const colored = await runHere(args, terminal);
    // Colors are all that is added to the text, and none of them is the skill's own red.
    expect(stripVTControlCharacters(colored.stdout + colored.stderr)).toBe(plain.stdout + plain.stderr);
    expect(colored.stdout + colored.stderr).not.toContain('\u001B[31mred');
  });

  it('survives unchanged in JSON', async () => {
    const { stdout } = await runHere(['list', '--json', '--dir', 'skills/other'], { cwd: makeHostile() });
    expect(JSON.parse(stdout)).toMatchObject({ skills: [{ description: `x${evil}` }] });
  });
});

describe('hostile skills', () => {
  const bad = {
    'skills/empty/SKILL.md': '',
    'skills/nothing/SKILL.md': '---\nname: nothing\n---\n',
    'skills/yaml/SKILL.md': '---\nname: [a\n\t- : {\n---\n',
    'skills/bytes/SKILL.md': new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe, 0x0a]),
    'skills/engine/SKILL.md': '---js\nprocess.exit(3)\n---\n',
    'skills/bomb/SKILL.md': `---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n---\n`,
    'skills/tools/SKILL.md': skillFile({ name: 'tools', description: 'x' }),
    'skills/tools/tools.json': '[{"name": ',
    'skills/long/SKILL.md': skillFile({ name: 'long', description: 'word '.repeat(40_000) }),
    'skills/fine/SKILL.md': skillFile({ name: 'fine', description: 'All is well.' }),
  };

  it('never hide a good skill, and are all reported', async () => {
    proves('S2.FR-1.5.continue', 'S2.FR-8.4.recovery');
    const cwd = makeDirectory(bad);
    const list = await runHere(['list'], { cwd });
    expect(list.code).toBe(0);
    expect(list.stdout).toMatch(/^fine +project\* +All is well\.$/m);
    expect(list.stdout).toMatch(/refused · \d+ errors.*, run npx skillwright doctor\n$/);
    const doctor = await runHere(['doctor'], { cwd });
    expect(doctor.code).toBe(1);
    for (const name of ['empty', 'nothing', 'bytes', 'engine', 'bomb', 'tools'])
      expect(doctor.stdout).toContain(`skills/${name}/`);
    const validate = await runHere(['validate'], { cwd });
    expect(validate.code).toBe(1);
    for (const name of ['empty', 'nothing', 'yaml', 'bytes', 'engine', 'bomb', 'tools', 'long'])
      expect(validate.stdout).toMatch(new RegExp(`^skills/${name}/\\S+ error `, 'm'));
    expect(validate.stdout).not.toContain('skills/fine');
  });

  it('do not flood the terminal with a description of 200 kB', async () => {
    const cwd = makeDirectory({ 'skills/long/SKILL.md': bad['skills/long/SKILL.md'] });
    expect((await runHere(['list'], { cwd })).stdout.length).toBeLessThan(500);
    const { stdout } = await runHere(['show', 'long'], { cwd });
    expect(stdout.length).toBeLessThan(5_000);
    expect(stdout).toMatch(/… \([\d,]+ characters; --json has all\)/);
  });

  it.skipIf(!posix)('may be links that lead nowhere or in a circle', async () => {
    const cwd = makeDirectory({ 'skills/fine/SKILL.md': bad['skills/fine/SKILL.md'] });
    symlinkSync('nowhere', join(cwd, 'skills/dangling'));
    symlinkSync('.', join(cwd, 'skills/loop'));
    const { code, stdout } = await runHere(['doctor'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {4}skills\/dangling warning link-broken /m);
    expect(stdout).toMatch(/\n✓ 1 skill: \d warnings?.*\n$/);
  });

  it.skipIf(!posix)('may be unreadable directories', () => {
    proves('S2.FR-1.5.graceful');
    const cwd = makeDirectory({ 'skills/fine/SKILL.md': bad['skills/fine/SKILL.md'] });
    mkdirSync(join(cwd, 'skills/locked'));
    chmodSync(join(cwd, 'skills/locked'), 0o000);
    chmodSync(cwd, 0o755);
    // Root can read everything.
    const options = process.getuid?.() === 0 ? { cwd, uid: 65_534 } : { cwd };
    const list = spawnCli(['list'], options);
    expect(list).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/\nfine +project/) as string });
    expect(list.stdout).toMatch(/\n1 skill · 1 error, run npx skillwright doctor\n$/);
    const doctor = spawnCli(['doctor'], options);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/skills\/locked error directory-unreadable .*\n +→ .*permissions/);
  });
});

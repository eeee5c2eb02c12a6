import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findExplicitCommands } from '../../packages/skillwright/src/select/explicit-command.ts';
import { proves } from '../proves.ts';
import { FUZZ_RUNS } from '../property/fuzz-runs.ts';

const KNOWN = new Set([
  'deploy',
  'file-scaffolding',
  'git',
  'home',
  'tmp',
  'usr',
  'bin',
  '25',
  'kit:report',
  'review',
  'übung',
]);
const find = (name: string): string | undefined => {
  const key = name
    .trim()
    .replaceAll(/[\s_]+/g, '-')
    .toLowerCase();
  return KNOWN.has(key) ? key : undefined;
};
const asked = (text: string): string[] =>
  findExplicitCommands(text, find).map(({ name, arguments: rest }) => `${find(name)}|${rest}`);

describe('a skill is asked for by', () => {
  it.each([
    ['/deploy', 'deploy|'],
    ['/deploy staging --force', 'deploy|staging --force'],
    ['  /deploy\nstaging\nnow', 'deploy|staging\nnow'],
    ['/file_scaffolding vue', 'file-scaffolding|vue'],
    ['/kit:report q3', 'kit:report|q3'],
    ['/übung eins', 'übung|eins'],
    ['$deploy staging', 'deploy|staging'],
    ['please run $deploy now', 'deploy|'],
    ['Ship it ($deploy).', 'deploy|'],
    ['Use the file-scaffolding skill', 'file-scaffolding|'],
    ['use the file scaffolding skill to make a Vue component', 'file-scaffolding|make a Vue component'],
    ['Could you use the "deploy" skill on staging?', 'deploy|staging?'],
    ['please use the `deploy` skill: staging', 'deploy|staging'],
    ['use my Deploy skill', 'deploy|'],
    ['invoke skill deploy', 'deploy|'],
    ['Use\n the\tdeploy  skill', 'deploy|'],
    ['use git to undo the last commit', 'git|undo the last commit'],
    ['use file scaffolding to create a component', 'file-scaffolding|create a component'],
    ['file_scaffolding', 'file-scaffolding|'],
    [' deploy ', 'deploy|'],
  ])('%j', (text, command) => {
    proves('S3.trigger.explicit_command', 'S3.trigger.explicit-hyphen');
    expect(asked(text)).toEqual([command]);
  });

  it('several names at once, each counted once', () => {
    expect(asked('$deploy and $review, then use the deploy skill')).toEqual([
      'deploy|and $review, then use the deploy skill',
      'review|',
    ]);
  });
});

describe('no skill is asked for by', () => {
  it.each([
    '/usr/bin/env node',
    '/usr/bin',
    'look into /tmp for it',
    'cd /home && ls',
    '/tmp/deploy',
    '/unknown thing',
    'echo $HOME',
    '$HOME/bin',
    'it costs $25 today',
    '${deploy}',
    '$deploy.sh is broken',
    '$deploy/run',
    'a$deploy',
    '$$deploy',
    '`$deploy`',
    '```\n$deploy\nuse the deploy skill\n```',
    '~~~sh\n/deploy\n~~~',
    '```\nuse the deploy skill',
    '`use the deploy skill`',
    "don't use the deploy skill",
    'please do not run $deploy yet',
    'Do not use the deploy skill!',
    'never use git to undo things',
    'do it without using the deploy skill',
    'the deploy skill is nice',
    'I deploy things',
    'use the unknown skill',
    'reuse the deploy skillset',
    '',
    '   ',
    '/',
    '$',
    '// deploy',
  ])('%j', (text) => {
    expect(asked(text)).toEqual([]);
  });
});

describe('a message', () => {
  it('of a megabyte is searched at its beginning, and a slash command keeps all its arguments', () => {
    const long = 'x '.repeat(500_000);
    expect(asked(`${long} $deploy`)).toEqual([]);
    expect(findExplicitCommands(`/deploy ${long}`, find)[0]?.arguments.length).toBe(long.trim().length);
  });

  it.each([
    '-'.repeat(16_000),
    'use the '.repeat(2_000),
    'use a'.repeat(3_000),
    '`'.repeat(16_000),
    '$a '.repeat(5_000),
    ' '.repeat(16_000),
    `\`${' '.repeat(16_000)}`,
    `use ${'a '.repeat(8_000)}`,
  ])('that is made to take long does not', (text) => {
    expect(asked(`${text} use the`)).toEqual([]);
  });

  it('never throws, and only ever names skills that are known', () => {
    const part = fc.oneof(
      fc.constantFrom('use the ', ' skill', '$', '/', 'deploy', ' to ', '`', '```', '\n', ' ', "n't ", '(', '"'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 25 }), (parts) => {
        for (const { name } of findExplicitCommands(parts.join(''), find)) expect(find(name)).toBeDefined();
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

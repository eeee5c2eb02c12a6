import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findExplicitCommands,
  findRefusedNames,
} from '../../packages/skillwright/src/select/named/explicit-command.ts';
import { proves } from '../proves.ts';
import { FUZZ_RUNS } from '../property/fuzz-runs.ts';

const KNOWN = new Set([
  'deploy',
  'file-scaffolding',
  'git',
  'git-commit',
  'pdf',
  'pdf-forms',
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

describe('a skill is named by', () => {
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
    ['use git-commit', 'git-commit|'],
    ['Run git-commit.', 'git-commit|'],
    ['please run git_commit on the last three files', 'git-commit|the last three files'],
    ['Can you use `pdf-forms`?', 'pdf-forms|?'],
    ['Please run deploy', 'deploy|'],
    ['The tests are green. Run deploy!', 'deploy|!'],
    ['I cannot open this file, please use the pdf skill', 'pdf|'],
    ['It does not open. Use the pdf skill', 'pdf|'],
    ['It does not open\nUse the pdf skill', 'pdf|'],
    ['if it does not open use the pdf skill', 'pdf|'],
    ['Why not use the pdf skill', 'pdf|'],
    ["don't use pdf-forms, use git-commit", 'git-commit|'],
    ["don't use the pdf skill but use the deploy skill", 'deploy|'],
  ])('%j', (text, command) => {
    proves('S3.trigger.explicit_command', 'S3.trigger.explicit-hyphen');
    expect(asked(text)).toEqual([command]);
  });

  it.each([
    ['use the pdf and git-commit skills', ['pdf|', 'git-commit|']],
    ['use the pdf, review and git commit skills to ship', ['pdf|ship', 'review|ship', 'git-commit|ship']],
    ['use git-commit and pdf-forms for this', ['git-commit|this', 'pdf-forms|this']],
    ['use the pdf skill and the review skill', ['pdf|the review skill', 'review|']],
    ['use the "pdf" & "unknown" skills', ['pdf|']],
  ])('several names in %j', (text, commands) => {
    expect(asked(text)).toEqual(commands);
  });

  it('several names at once, each counted once', () => {
    expect(asked('$deploy and $review, then use the deploy skill')).toEqual([
      'deploy|and $review, then use the deploy skill',
      'review|',
    ]);
  });
});

describe('no skill is named by', () => {
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
    "don't use pdf-forms",
    'do not under any circumstances use the pdf skill',
    'Do not, for whatever reason, use the pdf skill',
    'you should never run git-commit',
    "don't use the pdf and git-commit skills",
    'convert it without using pdf-forms',
    'run `git commit` and ``use the `pdf` skill``',
    'the script runs git-commit.sh and git-commit/run',
    'we run review meetings and use pdf files',
    'people deploy by hand; we try review',
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

describe('a request not to use a skill', () => {
  it.each([
    ["don't use pdf-forms", ['pdf-forms']],
    ['fill in the form, but do not under any circumstances use the pdf skill', ['pdf']],
    ['fill in this form without pdf-forms', ['pdf-forms']],
    ['use git-commit instead of pdf_forms', ['pdf_forms']],
    ['skip the pdf skill and never run git-commit', ['git-commit', 'pdf']],
  ])('is found in %j', (text, names) => {
    expect(findRefusedNames(text, find)).toEqual(names);
  });

  it.each([
    'use pdf-forms',
    'not a pdf',
    'without deploy',
    '`do not use pdf-forms`',
    'it does not open, use pdf-forms',
  ])('is not found in %j', (text) => {
    expect(findRefusedNames(text, find)).toEqual([]);
  });
});

describe('a message', () => {
  it('is searched only at its beginning if it has a megabyte, and a slash command keeps all its arguments', () => {
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
    'not '.repeat(4_000),
    '`` ` '.repeat(3_000),
    'use a-b, '.repeat(1_800),
    '\n '.repeat(8_000),
  ])('is searched quickly even if it is hostile', (text) => {
    expect(asked(`${text} use the`)).toEqual([]);
  });

  it('never throws, and only ever names known skills', () => {
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

import { readFileSync } from 'node:fs';

// The commit-msg hook: conventional commits, `type(area): what`, where the area is a folder.
const TYPES = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];
const HEADER = new RegExp(`^(?:${TYPES.join('|')})(?:\\([a-z0-9][a-z0-9/-]*\\))?!?: \\S.*$`);
/** Subjects that git itself writes. */
const AUTOMATIC = /^(?:Merge |Revert "|fixup! |squash! |amend! )/;

const [, , path] = process.argv;
if (path === undefined) throw new Error('Usage: node scripts/commit-message.ts <file>');

const lines = readFileSync(path, 'utf8').split('\n');
const header = lines.find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
if (!HEADER.test(header) && !AUTOMATIC.test(header)) {
  console.error(`"${header}" is not of the form "type(area): what".`);
  console.error(`Types: ${TYPES.join(', ')}. Example: fix(parse): keep a colon in a description`);
  process.exitCode = 1;
}

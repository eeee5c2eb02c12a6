import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Finding, findWords } from './words/find-words.ts';

const HELP = `Usage: npm run words -- [file …] [--help]

Finds sentences that a reader would have to read twice: in markdown, comments, messages, and titles and cases of tests.
The rules are in scripts/words/word-rules.ts.

  --help    print this

A line that is right although a rule finds it has a comment on it or on the line before:
  // words-allow <rule>: <reason>      <!-- words-allow <rule>: <reason> -->
`;

const root = fileURLToPath(new URL('..', import.meta.url));
const READ = /\.(?:md|ts|mts|js|mjs)$/i;
/** Fixtures are data, and the rules contain examples of the phrases they find. */
const SKIPPED = /(?:^|\/)fixtures\/|^scripts\/words\/word-rules\.ts$/;

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false } },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const wanted = new Set(positionals.map((path) => relative(root, path).split(sep).join('/')));
  const checked = listFiles()
    .filter((path) => wanted.size === 0 || wanted.has(path))
    .map((path) => findWords(path, readFileSync(`${root}${path}`, 'utf8')));
  const findings = checked.flatMap((file) => file.findings);
  const faults = checked.flatMap((file) => file.faults);
  for (const finding of findings) console.error(render(finding));
  for (const fault of faults) console.error(fault);
  if (findings.length > 0)
    console.error(
      `${findings.length} ${findings.length === 1 ? 'sentence needs' : 'sentences need'} plainer words. 'npm run words -- --help' says how to allow a line that is right.`,
    );
  return findings.length + faults.length > 0 ? 1 : 0;
}

/** Tracked files, and new ones that git does not ignore. */
function listFiles(): string[] {
  const output = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard', '--deduplicate'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const isRead = (path: string): boolean => READ.test(path) && !SKIPPED.test(path) && existsSync(`${root}${path}`);
  return output.split('\0').filter(isRead).sort();
}

function render({ path, line, text, rule }: Finding): string {
  return `${path}:${line}: ${text}\n  ${rule.id}: ${rule.advice}\n  before: ${rule.before}\n  after:  ${rule.after}\n`;
}

process.exitCode = main();

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Finding, findWords } from './words/find-words.ts';
import { compareLines, parseOldLines, writeOldLines } from './words/old-lines.ts';

const HELP = `Usage: npm run words -- [file …] [--update] [--old] [--help]

Finds sentences that a reader would have to read twice: in markdown, comments, messages and test titles.
The rules are in scripts/words/word-rules.ts. Lines that are older than the rules are in scripts/words/old-lines.txt,
which only shrinks: a new line has to be written plainly, and a line that was fixed leaves the list.

  --update  take fixed lines from the list, and follow lines that were moved to another file; adds nothing
  --old     also print the lines that the list excuses
  --help    print this

A line that is right although a rule finds it has a comment on it or on the line before:
  // words-allow <rule>: <reason>      <!-- words-allow <rule>: <reason> -->
`;

const root = fileURLToPath(new URL('..', import.meta.url));
const LIST = 'scripts/words/old-lines.txt';
const READ = /\.(?:md|ts|mts|js|mjs)$/i;
/** Fixtures are data, and the rules contain examples of the phrases they find. */
const SKIPPED = /(?:^|\/)fixtures\/|^scripts\/words\/word-rules\.ts$/;

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      update: { type: 'boolean', default: false },
      old: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const wanted = new Set(positionals.map((path) => relative(root, path).split(sep).join('/')));
  const isWanted = (path: string): boolean => wanted.size === 0 || wanted.has(path);
  const checked = listFiles()
    .filter(isWanted)
    .map((path) => findWords(path, readFileSync(`${root}${path}`, 'utf8')));
  const findings = checked.flatMap((file) => file.findings);
  const faults = checked.flatMap((file) => file.faults);
  const list = parseOldLines(readFileSync(`${root}${LIST}`, 'utf8'));
  const { added, gone, updated } = compareLines(
    list.filter(({ path }) => isWanted(path)),
    findings,
  );
  if (values.update) {
    writeFileSync(`${root}${LIST}`, writeOldLines([...updated, ...list.filter(({ path }) => !isWanted(path))]));
    console.log(`${LIST}: ${list.length - gone.length} of ${list.length} lines are left as they were.`);
    return 0;
  }
  for (const finding of values.old ? findings : added) console.error(render(finding));
  for (const fault of faults) console.error(fault);
  for (const { path, text } of gone) console.error(`${LIST}: this line of ${path} is fixed or gone: ${text}`);
  if (gone.length > 0) console.error("Take fixed lines from the list with 'npm run words -- --update'.");
  if (added.length > 0)
    console.error(
      `${added.length} ${added.length === 1 ? 'sentence needs' : 'sentences need'} plainer words. 'npm run words -- --help' says how to allow a line that is right.`,
    );
  return added.length + gone.length + faults.length > 0 ? 1 : 0;
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

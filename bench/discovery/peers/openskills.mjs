import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// openskills has no library entry: its only module is the CLI, which acts on argv when it is evaluated and looks in
// `.claude/skills` of the working directory. Each discovery evaluates it again in this process, so no process start is
// counted; its dependencies are loaded once, untimed, by a first `list` in an empty folder.
const cli = import.meta.resolve('openskills');
let evaluations = 0;

const empty = mkdtempSync(join(tmpdir(), 'openskills-'));
await list(empty);
process.chdir(tmpdir());
rmSync(empty, { recursive: true });

export function discover(dir) {
  return list(dirname(dirname(dir)));
}

async function list(project) {
  const { log } = console;
  const { argv } = process;
  let found = 0;
  console.log = (line) => {
    const total = /\((\d+) total\)/.exec(String(line));
    if (total !== null) found = Number(total[1]);
  };
  process.chdir(project);
  process.argv = [process.execPath, 'openskills', 'list'];
  evaluations += 1;
  await import(`${cli}?evaluation=${evaluations}`);
  console.log = log;
  process.argv = argv;
  return found;
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ScriptName } from './results.ts';

export const SKILL = 'bench';

/** Scripts that print which interpreter runs them, so that a contender without the library can start the same one. */
export const SCRIPTS: Readonly<Record<ScriptName, string>> = {
  node: 'scripts/where.mjs',
  python: 'scripts/where.py',
  shell: 'scripts/where.sh',
  true: 'scripts/true.sh',
};

/** A script that prints as many bytes as its argument says. */
export const FLOOD_SCRIPT = 'scripts/flood.sh';
/**
 * A script that sleeps for a minute and starts a child that does the same in its own session. Both have the argument in
 * their command line. Prints `begun` when the child is started.
 */
export const HANG_SCRIPT = 'scripts/hang.sh';

const HANG = `#!/usr/bin/env bash
setsid bash -c 'sleep 60; : "$1"' stray "$1" &
echo begun
sleep 60
`;

/** A handler that never ends and starts a child in its own session, like `HANG_SCRIPT`. */
const HANG_HANDLER = `import { spawn } from 'node:child_process';
export default ({ mark }) => {
  const stray = spawn('setsid', ['bash', '-c', 'sleep 60; : "$1"', 'stray', mark], { stdio: 'inherit' });
  stray.once('spawn', () => console.log('begun'));
  return new Promise(() => setInterval(() => {}, 60_000));
};
`;

const PARAMETERS = { a: { type: 'number', description: 'A number.' }, b: { type: 'number', description: 'Another.' } };
const MARK = { mark: { type: 'string', description: 'Put into the command line.' } };

const TOOLS = [
  { name: 'add_javascript', description: 'Adds.', script: 'scripts/add.mjs', parameters: PARAMETERS },
  { name: 'add_python', description: 'Adds.', script: 'scripts/add.py', parameters: PARAMETERS },
  { name: 'hang', description: 'Never answers.', script: 'scripts/hang.mjs', parameters: MARK },
];

const FILES: Readonly<Record<string, string>> = {
  'SKILL.md': `---\nname: ${SKILL}\ndescription: Scripts and tools for the benchmark of running.\n---\n\nNothing for a model.\n`,
  'tools.json': JSON.stringify(TOOLS),
  [SCRIPTS.node]: 'console.log(process.execPath);\n',
  [SCRIPTS.python]: 'import sys\n\nprint(sys.executable)\n',
  [SCRIPTS.shell]: '#!/usr/bin/env bash\necho "$BASH"\n',
  [SCRIPTS.true]: '#!/usr/bin/env bash\ntrue\n',
  [FLOOD_SCRIPT]: '#!/usr/bin/env bash\nhead -c "$1" /dev/zero\n',
  [HANG_SCRIPT]: HANG,
  'scripts/add.mjs': 'export default ({ a, b }) => ({ sum: a + b });\n',
  'scripts/add.py': 'def handler(args):\n    return {"sum": args["a"] + args["b"]}\n',
  'scripts/hang.mjs': HANG_HANDLER,
};

/**
 * Writes the skill under test into a new directory of skills, and returns the skill's own directory. `references` is the number
 * of files beside those that run.
 */
export function writeSkill(skillsDir: string, references = 0): string {
  const skillDir = join(skillsDir, SKILL);
  const pages = Array.from({ length: references }, (_, index) => [`references/page-${index}.md`, 'Text.\n'] as const);
  for (const [path, text] of [...Object.entries(FILES), ...pages]) {
    const file = join(skillDir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return skillDir;
}

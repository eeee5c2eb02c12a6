import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const LOG = new URL('log.ts', import.meta.url).href;

/** A program that logs to standard error. */
const programOf = (rest: string): string[] => [
  '--input-type=module',
  '--eval',
  `import { createLog } from ${JSON.stringify(LOG)};
   const log = createLog({ level: 'info', secrets: [] });
   for (let n = 1; n <= 3; n += 1) log.info({ n }, 'line');
   ${rest}`,
];

it('loses no line when the process ends at once, however it ends', async () => {
  for (const ending of ['', 'process.exit(0);', 'log.flush();']) {
    const { stderr } = await promisify(execFile)(process.execPath, programOf(ending));
    const lines = stderr.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual([1, 2, 3]);
  }
});

it('writes lines while the process runs on', async () => {
  const child = spawn(process.execPath, programOf('setInterval(() => {}, 60_000);'), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const [text] = (await once(child.stderr, 'data')) as [Buffer];
    expect(text.toString()).toContain('"n":1');
  } finally {
    child.kill('SIGKILL');
  }
});

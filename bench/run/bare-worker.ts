import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A process that answers lines of JSON: the minimum cost of a warm call. */
export interface BareWorker {
  call(input: object): Promise<unknown>;
  close(): Promise<void>;
}

const PROGRAMS = {
  javascript: `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { a, b } = JSON.parse(line);
    process.stdout.write(JSON.stringify({ sum: a + b }) + '\\n');
  });`,
  python: `import json, sys
for line in sys.stdin:
    call = json.loads(line)
    print(json.dumps({"sum": call["a"] + call["b"]}), flush=True)`,
} as const;

export function startBareWorker(language: 'javascript' | 'python', program: string): BareWorker {
  const flag = language === 'javascript' ? '--eval' : '-c';
  const child = spawn(program, [flag, PROGRAMS[language]], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  child.stdin.on('error', () => {});
  let pending: { resolve: (answer: unknown) => void; reject: (error: Error) => void } | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => pending?.resolve(JSON.parse(line)));
  void ended.then(() => pending?.reject(new Error('the bare worker ended')));
  return {
    call: (input) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject };
        child.stdin.write(`${JSON.stringify(input)}\n`);
      }),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

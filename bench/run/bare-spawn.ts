import { spawn } from 'node:child_process';

/** The baseline for the library: `spawn` with both pipes collected and nothing else. Rejects when the program fails. */
export function runBare(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdin.on('error', () => {});
    child.stdin.end();
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.once('error', reject);
    child.once('close', (exitCode) => {
      const complaint = Buffer.concat(stderr).toString();
      if (exitCode === 0) resolve(Buffer.concat(stdout).toString().trimEnd());
      else reject(new Error(`${program} ended with ${String(exitCode)}: ${complaint.trim()}`));
    });
  });
}

/** Like `runBare`, but counts the output and discards it. */
export function countBare(program: string, args: readonly string[], cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    child.once('error', reject);
    child.once('close', () => resolve(bytes));
  });
}

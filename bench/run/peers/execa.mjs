import { execa } from 'execa';

/** Runs a program to its end and returns its output; rejects when it fails. */
export async function runProgram(program, args, { cwd }) {
  const { stdout } = await execa(program, args, { cwd, input: '' });
  return stdout;
}

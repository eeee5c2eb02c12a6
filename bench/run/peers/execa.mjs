import { execa } from 'execa';

/** Runs a program to its end and answers what it printed; rejects when it fails. */
export async function runProgram(program, args, { cwd }) {
  const { stdout } = await execa(program, args, { cwd, input: '' });
  return stdout;
}

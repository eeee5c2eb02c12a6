import { spawn } from 'node:child_process';

// `npm run check:full [-- step …]`: runs everything that takes too long for CI. Every step runs even if an earlier one failed;
// the table at the end shows each result, and the exit code is 1 if any failed.

interface Step {
  readonly name: string;
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
}

const STEPS: readonly Step[] = [
  { name: 'static', command: 'npm run check:static' },
  { name: 'tests', command: 'vitest run --coverage', env: { SKILLWRIGHT_FUZZ_RUNS: '2000' } },
  { name: 'sdks', command: 'npm run test:sdks' },
  { name: 'site', command: 'npm run docs:build && npm run docs:check -- --all' },
  { name: 'runtimes', command: 'npm run test:runtimes' },
  { name: 'discovery', command: 'npm run bench:discovery' },
  { name: 'run', command: 'npm run bench:run -- --full' },
  { name: 'select', command: 'npm run bench:select' },
  { name: 'executions', command: 'npm run bench:executions' },
  { name: 'gateway', command: 'npm run bench:gateway -- --full' },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(', ')}. Steps: ${STEPS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

const lines: string[] = [];
for (const step of STEPS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  console.log(`\n=== ${step.name}: ${step.command}`);
  const start = performance.now();
  const isFine = (await exitCodeOf(step)) === 0;
  if (!isFine) process.exitCode = 1;
  const seconds = Math.round((performance.now() - start) / 1_000);
  lines.push(`${isFine ? '✓' : '✗'} ${step.name.padEnd(12)}${String(seconds).padStart(6)} s`);
}
console.log(`\n${lines.join('\n')}`);

function exitCodeOf({ command, env }: Step): Promise<number | null> {
  const child = spawn(command, { stdio: 'inherit', shell: true, env: { ...process.env, ...env } });
  return new Promise((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
}

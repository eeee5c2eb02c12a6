import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { createInterpreters } from '../../../packages/skillwright/src/process/interpreters.ts';
import { probeSandboxes } from '../../../packages/skillwright/src/process/standard-sandboxes.ts';
import { createProcessSandbox } from '../../../packages/skillwright/src/process/plain/sandbox.ts';
import { SANDBOX_TIERS } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { createBench } from '../../conformance/sandbox/sandbox-setup.ts';

const PYTHON = '/usr/bin/python3';
const noPython = existsSync(PYTHON) ? undefined : `${PYTHON} is not there`;

describe.each([
  ['process', createProcessSandbox()],
  ['bubblewrap', createBubblewrapSandbox()],
] as const)('interpreters in the %s tier', (name, sandbox) => {
  const bench = createBench(`interpreters, ${name}`, sandbox);
  beforeAll(() => bench.prepare());
  afterAll(() => bench.finish());

  it(
    'a virtual environment keeps its own packages',
    bench.hostRow([], noPython, async () => {
      const environment = join(bench.root, 'venv');
      expect(spawnSync(PYTHON, ['-m', 'venv', '--without-pip', environment]).status).toBe(0);
      const version = spawnSync(PYTHON, ['-c', 'import sys; print("python%d.%d" % sys.version_info[:2], end="")'], {
        encoding: 'utf8',
      });
      writeFileSync(join(environment, 'lib', version.stdout, 'site-packages', 'only_here.py'), 'answer = 42\n');
      const script = join(bench.skill, 'ask.py');
      writeFileSync(script, 'import sys, only_here\nprint(only_here.answer, sys.prefix)\n');
      const interpreter = await createInterpreters({ path: join(environment, 'bin') }).forScript(script);
      if (!interpreter.ok) throw new Error(interpreter.remedy);
      expect(interpreter.program).toBe(join(environment, 'bin', 'python3'));
      const { stdout, stderr } = await bench.run({
        launch: { program: interpreter.program, args: [script], workspace: 'none' },
      });
      expect([stdout.text, stderr.text]).toEqual([`42 ${environment}\n`, '']);
    }),
  );

  it(
    'a shim is resolved once, and not run again',
    bench.hostRow([], noPython, async () => {
      const shims = join(bench.root, 'shims');
      const calls = join(bench.root, 'calls');
      mkdirSync(shims);
      writeFileSync(join(shims, 'python3'), `#!/bin/sh\necho called >> ${calls}\nexec ${PYTHON} "$@"\n`, {
        mode: 0o755,
      });
      const script = join(bench.skill, 'shimmed.py');
      writeFileSync(script, 'print("ran")\n');
      const interpreters = createInterpreters({ path: `${shims}:/usr/bin` });
      for (const round of [1, 2, 3]) {
        const interpreter = await interpreters.forScript(script);
        if (!interpreter.ok) throw new Error(interpreter.remedy);
        const { stdout } = await bench.run({ launch: { program: interpreter.program, args: [script] } });
        expect([round, stdout.text]).toEqual([round, 'ran\n']);
      }
      expect(readFileSync(calls, 'utf8')).toBe('called\n');
    }),
  );

  it(
    'a program outside the system is found through the links to it',
    bench.row([], async () => {
      const installed = join(bench.root, 'opt', 'tool-1.2', 'bin');
      mkdirSync(join(installed, '..', 'lib'), { recursive: true });
      mkdirSync(installed, { recursive: true });
      writeFileSync(
        join(installed, 'tool'),
        '#!/bin/sh\ncat "${0%/*}/../lib/data" "$(dirname "$(readlink -f "$0")")/../lib/data" 2>/dev/null; ls -A "$(dirname "$(readlink -f "$0")")/../.."\n',
      );
      writeFileSync(join(installed, '..', 'lib', 'data'), 'data\n');
      writeFileSync(join(bench.root, 'opt', 'neighbour'), 'hidden\n');
      chmodSync(join(installed, 'tool'), 0o755);
      symlinkSync('tool-1.2', join(bench.root, 'opt', 'tool'));
      mkdirSync(join(bench.root, 'bin'));
      symlinkSync('../opt/tool/bin/tool', join(bench.root, 'bin', 'tool'));
      const { stdout } = await bench.run({ launch: { program: join(bench.root, 'bin', 'tool'), workspace: 'none' } });
      expect(stdout.text).toContain('data\n');
      if (name === 'bubblewrap') expect(stdout.text).not.toContain('neighbour');
    }),
  );
});

describe('the report on the tiers of this host', () => {
  it('has every tier in order, with a remedy if one is missing', async () => {
    const reports = await probeSandboxes();
    expect(reports.map(({ tier }) => tier)).toEqual(SANDBOX_TIERS);
    for (const report of reports) {
      if (report.available) expect(report.detail).not.toBe('');
      else expect([report.reason, report.remedy]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\S/)]);
    }
  });

  it('promises no isolation for code that runs in this process', async () => {
    const [report] = await probeSandboxes();
    if (report?.available !== true) throw new Error('The tier must be there.');
    expect(
      Object.entries(report.capabilities).filter(([name, has]) => has && /^(?:hides|bounds|protects|kills)/.test(name)),
    ).toEqual([]);
  });

  it('searches the given directories', async () => {
    const reports = await probeSandboxes({ path: '/nowhere' });
    expect(reports.find(({ tier }) => tier === 'bubblewrap')).toMatchObject({ available: false });
  });
});

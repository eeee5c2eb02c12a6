import { join } from 'node:path';
import { runBare } from '../bare-spawn.ts';
import { SCRIPTS, SKILL } from '../bench-skill.ts';
import { measureInterleaved, type Contender } from '../interleave.ts';
import { printedBy, type MeasuredManager, type Tier } from '../measured-manager.ts';
import type { ScriptGroup, ScriptName } from '../results.ts';
import type { Scenario } from '../scenario.ts';
import { interpreterOf } from './scripts.ts';

const ROUNDS = 60;
/** The script under test, and one that prints the interpreter that runs it. */
const NAMES: readonly (readonly [ScriptName, ScriptName])[] = [
  ['true', 'shell'],
  ['node', 'node'],
];
/** The minimum cost of bubblewrap: every namespace, and the host's own files read-only. */
const LEAST = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];

/** `runScript` in the bubblewrap tier, beside a bare spawn, `bwrap` by hand, and the process tier. */
export async function measureBubblewrap(scenario: Scenario): Promise<ScriptGroup[]> {
  scenario.expectSteps(ROUNDS * NAMES.length);
  const { skillsDir, skillDir, createManager, step } = scenario;
  const ordinary = createManager(skillsDir, { sandbox: 'process' });
  const isolated = createManager(skillsDir, { sandbox: 'bubblewrap' });
  const groups: ScriptGroup[] = [];
  try {
    // Fails here, once, if bubblewrap is absent.
    printedBy(await isolated.runScript(SKILL, SCRIPTS.true, []));
    for (const [script, teller] of NAMES) {
      const interpreter = await interpreterOf(ordinary, teller);
      const path = join(skillDir, SCRIPTS[script]);
      const contenders = [
        bare('spawn', 'bare spawn', [interpreter, path], skillDir),
        tier('process', ordinary, script),
        bare('bwrap', 'bwrap by hand', ['bwrap', ...LEAST, interpreter, path], skillDir),
        tier('bubblewrap', isolated, script),
      ];
      groups.push({
        script,
        rows: await measureInterleaved(contenders, ROUNDS, () => step(`${script} in bubblewrap`)),
      });
    }
  } finally {
    await Promise.all([ordinary.close(), isolated.close()]);
  }
  return groups;
}

function bare(id: string, label: string, [program = '', ...args]: readonly string[], cwd: string): Contender {
  return {
    id,
    label,
    async run() {
      await runBare(program, args, cwd);
    },
  };
}

function tier(id: Tier, manager: MeasuredManager, script: ScriptName): Contender {
  return {
    id,
    label: `skillwright, ${id}`,
    async run() {
      printedBy(await manager.runScript(SKILL, SCRIPTS[script], []));
    },
  };
}

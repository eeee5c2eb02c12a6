import { join } from 'node:path';
import { runBare } from '../bare-spawn.ts';
import { SCRIPTS, SKILL } from '../bench-skill.ts';
import { measureInterleaved, notMeasured, type Contender } from '../interleave.ts';
import { printedBy, usesPidNamespaces, type MeasuredManager } from '../measured-manager.ts';
import type { ScriptGroup, ScriptName } from '../results.ts';
import type { Scenario } from '../scenario.ts';

const ROUNDS = 100;
const NAMES: readonly ScriptName[] = ['node', 'python', 'shell'];

type RunProgram = (program: string, args: readonly string[], options: { readonly cwd: string }) => Promise<string>;

/** `runScript` in the process tier, beside a bare spawn of the same interpreter with the same script. */
export async function measureScripts(scenario: Scenario): Promise<ScriptGroup[]> {
  scenario.expectSteps(ROUNDS * NAMES.length);
  const manager = scenario.createManager(scenario.skillsDir, { sandbox: 'process' });
  const peer = scenario.withPeers ? await loadPeer('execa') : undefined;
  const inPidNamespace = await usesPidNamespaces();
  const groups: ScriptGroup[] = [];
  try {
    for (const name of NAMES) groups.push({ ...(await measureScript(name, manager, peer, scenario)), inPidNamespace });
  } finally {
    await manager.close();
  }
  return groups;
}

async function measureScript(
  name: ScriptName,
  manager: MeasuredManager,
  peer: RunProgram | undefined,
  { skillDir, step }: Scenario,
): Promise<ScriptGroup> {
  const path = join(skillDir, SCRIPTS[name]);
  let interpreter: string;
  try {
    interpreter = await interpreterOf(manager, name);
  } catch (error) {
    return { script: name, rows: [{ id: 'process', label: 'skillwright', timing: notMeasured(error) }] };
  }
  const prints = (label: string, printed: string): void => assertPrinted(label, printed, interpreter);
  const contenders: Contender[] = [
    {
      id: 'spawn',
      label: 'bare spawn',
      run: async () => prints('spawn', await runBare(interpreter, [path], skillDir)),
    },
    {
      id: 'process',
      label: 'skillwright',
      run: async () => prints('skillwright', await interpreterOf(manager, name)),
    },
  ];
  if (peer !== undefined)
    contenders.push({
      id: 'execa',
      label: 'execa',
      run: async () => prints('execa', await peer(interpreter, [path], { cwd: skillDir })),
    });
  return { script: name, rows: await measureInterleaved(contenders, ROUNDS, () => step(`${name} script`)) };
}

/** The interpreter that the library runs the script with, as the script reports it. */
export async function interpreterOf(manager: MeasuredManager, name: ScriptName): Promise<string> {
  return printedBy(await manager.runScript(SKILL, SCRIPTS[name], []));
}

function assertPrinted(label: string, printed: string, expected: string): void {
  if (printed !== expected) throw new Error(`${label} printed '${printed}' instead of '${expected}'`);
}

async function loadPeer(name: string): Promise<RunProgram> {
  const { href } = new URL(`../peers/${name}.mjs`, import.meta.url);
  return ((await import(href)) as { runProgram: RunProgram }).runProgram;
}

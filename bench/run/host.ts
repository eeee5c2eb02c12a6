// The measured process: runs one scenario of skills, then ends. Started by host-runner.ts only.
import type { HostMessage, HostTask } from './host-message.ts';
import { notMeasured } from './interleave.ts';
import { loadManager } from './measured-manager.ts';
import type { Measurements, ScenarioName } from './results.ts';
import type { Scenario } from './scenario.ts';
import { measureBubblewrap } from './scenarios/bubblewrap.ts';
import { measureConcurrency } from './scenarios/concurrency.ts';
import { measureHandlers } from './scenarios/handlers.ts';
import { measureMemory } from './scenarios/memory.ts';
import { measureScripts } from './scenarios/scripts.ts';
import { measureTimeouts } from './scenarios/timeouts.ts';

const MEASURE: { readonly [Name in ScenarioName]: (scenario: Scenario) => Promise<Measurements[Name]> } = {
  scripts: measureScripts,
  bubblewrap: measureBubblewrap,
  handlers: measureHandlers,
  concurrency: measureConcurrency,
  memory: measureMemory,
  timeouts: measureTimeouts,
};

function send(message: HostMessage, onSent: () => void = () => {}): void {
  process.send?.(message, onSent);
}

async function measure({ scenario: name, ...task }: HostTask): Promise<HostMessage> {
  try {
    const createManager = await loadManager();
    const expectSteps = (count: number): void => send({ kind: 'steps', count });
    const step = (label: string): void => send({ kind: 'step', label });
    const value = await MEASURE[name]({ ...task, createManager, expectSteps, step });
    return { kind: 'outcome', outcome: { status: 'measured', value } };
  } catch (error) {
    return { kind: 'outcome', outcome: notMeasured(error) };
  }
}

const answer = await measure(JSON.parse(process.argv[2] ?? '') as HostTask);
send(answer, () => process.exit(0));

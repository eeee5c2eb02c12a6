import type { SandboxReport } from '../../../process/standard-sandboxes.ts';
import type { SandboxCapabilities } from '../../../spec/sandbox.ts';
import { printAnswer, type Invocation } from '../command.ts';
import type { Output } from '../output.ts';
import { toLine, wrapText } from '../text/terminal-text.ts';
import { reportTiers, tierForUntrusted } from './tier-reports.ts';

/** The wording for each capability: first if a tier has it, then if it does not. */
const PROMISES: Readonly<Record<keyof SandboxCapabilities, readonly [does: string, not: string]>> = {
  runsPrograms: ['runs programs in any language', 'run anything but JavaScript and TypeScript tools'],
  interrupts: ['stops programs that take too long', 'stop code that never yields'],
  killsTree: ['stops every process that was started', 'stop processes that hide from it'],
  hidesNetwork: ['blocks the network (unless --allow-net)', 'block the network'],
  hidesFiles: ['hides your files (except with --workspace)', 'hide your files'],
  protectsSkill: ["protects the skill's own files", "protect the skill's own files"],
  boundsMemory: ["limits the memory of programs (not the kernel's records of mappings and locks)", 'limit memory'],
  boundsProcesses: ['limits the number of processes', 'limit the number of processes'],
  boundsDisk: ['limits disk space', 'limit disk space'],
};

export async function run(invocation: Invocation): Promise<number> {
  const { context, output } = invocation;
  const tiers = await reportTiers(context);
  return printAnswer(invocation, { tiers }, () => [
    ...tiers.flatMap((tier) => [...tierLines(output, tier), '']),
    ...wrapText(conclusion(tiers), output.proseColumns),
  ]);
}

function tierLines(output: Output, report: SandboxReport): string[] {
  const head = output.style('heading', report.tier);
  if (!report.available)
    return [
      `${head}  ${output.style('warning', 'not available')}`,
      ...paragraph(output, report.reason),
      ...paragraph(output, report.remedy),
    ];
  const names = Object.keys(PROMISES) as (keyof SandboxCapabilities)[];
  const does = names.filter((name) => report.capabilities[name]).map((name) => PROMISES[name][0]);
  const not = names.filter((name) => !report.capabilities[name]).map((name) => PROMISES[name][1]);
  return [
    `${head}  ${output.style('good', 'available')}  ${output.style('dim', toLine(report.detail))}`,
    ...(does.length === 0 ? [] : paragraph(output, `Promises: ${does.join(', ')}.`)),
    ...(not.length === 0 ? [] : paragraph(output, `Does not: ${not.join(', ')}.`)),
  ];
}

function paragraph(output: Output, text: string): string[] {
  return wrapText(toLine(text), output.proseColumns - 2).map((line) => `  ${line}`);
}

function conclusion(tiers: readonly SandboxReport[]): string {
  const strong = tierForUntrusted(tiers);
  const trusted = 'Skills you trust run in process, or in the tier of --sandbox.';
  return strong === undefined
    ? `${trusted} Other skills cannot run here, because no available tier is strong enough.`
    : `${trusted} Other skills run in ${strong.tier}, from a copy that nobody can change.`;
}

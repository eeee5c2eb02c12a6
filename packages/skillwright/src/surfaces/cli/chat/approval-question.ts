import type { ApprovalAnswer, ApprovalRequest } from '../../../spec/approval.ts';
import type { Output } from '../output.ts';
import { toBlock, toLine } from '../text/terminal-text.ts';
import { wrapText } from '../text/text-width.ts';

/** What is shown of arguments; how much is left out is said. */
const MAX_ARGUMENTS = 2_000;
const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = {
  y: 'once',
  yes: 'once',
  c: 'conversation',
  conversation: 'conversation',
  a: 'always',
  always: 'always',
  n: 'deny',
  no: 'deny',
};

export const APPROVAL_PROMPT = 'Allow it? y once, c in this conversation, a always, n no: ';

/** `undefined` for what is no answer: asked again. */
export function readApproval(answer: string): ApprovalAnswer | undefined {
  const word = answer.trim().toLowerCase();
  return Object.hasOwn(ANSWERS, word) ? ANSWERS[word] : undefined;
}

/** What somebody has to know before they say yes. */
export function approvalLines(output: Output, request: ApprovalRequest): string[] {
  const { skill, kind, target, args, trust, tier, network } = request;
  const text = JSON.stringify(args) ?? '';
  const more = text.length - MAX_ARGUMENTS;
  const shown = toLine(toBlock(text.slice(0, MAX_ARGUMENTS)));
  const left = more > 0 ? ` … and ${more.toLocaleString('en')} more characters, which are not shown` : '';
  const facts = `${trust} skill, runs in ${tier}, ${network ? 'with' : 'without'} the network`;
  return [
    `${output.style('warning', '?')} Skill ${output.style('name', toLine(skill))} wants to run the ${kind} ${output.style('name', toLine(target))}`,
    ...(isEmpty(args) ? [] : wrapText(`with ${shown}${left}`, output.columns - 2).map((line) => `  ${line}`)),
    output.style('dim', `  ${facts}`),
  ];
}

function isEmpty(args: unknown): boolean {
  return args === undefined || args === null || (typeof args === 'object' && Object.keys(args).length === 0);
}

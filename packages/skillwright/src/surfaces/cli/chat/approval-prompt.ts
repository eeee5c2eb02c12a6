import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../../spec/approval.ts';
import type { Output } from '../output.ts';
import { toBlock, toLine, wrapText } from '../text/terminal-text.ts';

/** Asks a question. Returns `undefined` if the user can no longer answer. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/**
 * Asks the user to approve runs, one at a time. It repeats the question after an unknown answer; no answer means no.
 * `always` applies to every conversation that uses the returned function, as long as the skill's content is the same.
 */
export function createApprovalPrompt(options: {
  readonly output: Output;
  readonly ask: Ask;
  readonly pause: () => void;
}): Approve {
  const { output, ask, pause } = options;
  const always = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  const decide: Approve = async (request) => {
    if (request.signal.aborted) return 'deny';
    const { skill, digest, kind, target } = request;
    const subject = JSON.stringify([skill, digest, kind, target]);
    if (always.has(subject)) return 'always';
    pause();
    output.lines(approvalLines(output, request));
    for (;;) {
      const answer = await ask(APPROVAL_PROMPT, request.signal);
      if (answer === undefined || request.signal.aborted) return 'deny';
      const decision = readApproval(answer);
      if (decision === 'always') always.add(subject);
      if (decision !== undefined) return decision;
    }
  };

  return (request) => {
    const decided: Promise<ApprovalAnswer> = last.then(() => decide(request));
    last = decided.catch(() => {});
    return decided;
  };
}

/** How many characters of the arguments are shown. The question says how many are left out. */
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

const APPROVAL_PROMPT = 'Allow it? y once, c in this conversation, a always, n no: ';

/**
 * Parses an answer. Returns `undefined` for an unknown answer, so that the question is asked again.
 * @internal Exported for its tests.
 */
export function readApproval(answer: string): ApprovalAnswer | undefined {
  const word = answer.trim().toLowerCase();
  return Object.hasOwn(ANSWERS, word) ? ANSWERS[word] : undefined;
}

/**
 * Everything the user needs to know before approving.
 * @internal Exported for its tests.
 */
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

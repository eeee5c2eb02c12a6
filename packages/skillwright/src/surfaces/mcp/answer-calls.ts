import { randomUUID } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { refusedOutcome } from '../../agent/tools/tool-outcome.ts';
import type { Approve } from '../../spec/approval.ts';
import { approvalQuestion, canAsk, readAnswer } from './approval-question.ts';
import type { AskedCalls, CallStep } from './asked-calls.ts';
import type { CallSlots } from './call-slots.ts';
import { sendProgress } from './progress.ts';
import type { ServedSkills } from './served-skills.ts';
import { loadArguments, skillTools } from './skill-tools.ts';
import type { ToolCalls } from './tool-calls.ts';
import { toCallResult } from './tool-result.ts';

/** Limits names in messages, because a client may send a name of any length. */
const MAX_NAME = 200;

type Arguments = Readonly<Record<string, unknown>>;
/** The name and arguments of a call. */
type MeantCall = readonly [string, Arguments];

/** What `answerCalls` needs to answer calls. */
export interface CallParts {
  readonly skills: ServedSkills;
  readonly slots: CallSlots;
  readonly calls: ToolCalls;
  readonly toolPerSkill: boolean;
  /** Asks the client's user for approvals. Absent if the client's answer must not count as an approval. */
  readonly asked?: AskedCalls | undefined;
}

/** Answers calls of tools. */
export function answerCalls(mcp: McpServer, parts: CallParts): void {
  mcp.server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    const meant = meantCall(name, args, parts);
    if (meant === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool '${name.slice(0, MAX_NAME)}'.`);
    const step = await takeStep(mcp, meant, { ...parts, context });
    if (!step.isOver) return approvalQuestion(step.request, step.state);
    return mcp.server.projectCallToolResult(toCallResult(step.outcome), undefined);
  });
}

/**
 * The call to run for a client's call: `load_skill` if the client calls a tool that loads one skill. `undefined` for an
 * unknown tool.
 */
function meantCall(name: string, args: Arguments, { skills, toolPerSkill }: CallParts): MeantCall | undefined {
  const conversation = skills.begin();
  const own = toolPerSkill ? skillTools(conversation).find(({ tool }) => tool.name === name) : undefined;
  if (own !== undefined) return ['load_skill', loadArguments(own, args)];
  return conversation.handles(name) ? [name, args] : undefined;
}

/**
 * Runs a call until it is over or the user must be asked. If the request has the user's answer, continues the call that
 * waits for that answer.
 */
async function takeStep(
  mcp: McpServer,
  meant: MeantCall,
  { skills, slots, calls, asked, context }: CallParts & { readonly context: ServerContext },
): Promise<CallStep> {
  const { signal } = context.mcpReq;
  const key = JSON.stringify(meant);
  const state = context.mcpReq.requestState<string>();
  const known = state === undefined ? undefined : asked?.executionOf(state, key);
  if (state !== undefined && known === undefined)
    return { isOver: true, outcome: refusedOutcome('ApprovalDenied', 'The call no longer waits for an answer.') };
  const executionId = known ?? randomUUID();
  const unfollow = sendProgress(skills, executionId, context);
  const run = async (wanted: AbortSignal, approve?: Approve): ReturnType<ToolCalls['call']> =>
    slots.run(() => calls.call(...meant, { signal: wanted, executionId, approve }), wanted);
  try {
    if (asked === undefined || !canAsk(mcp, context)) return { isOver: true, outcome: await run(signal) };
    if (state !== undefined) return await asked.answer(state, readAnswer(context), signal);
    return await asked.begin({ key, executionId, work: (approve, wanted) => run(wanted, approve) }, signal);
  } finally {
    unfollow();
  }
}

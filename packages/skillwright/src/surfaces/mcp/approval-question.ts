import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { escapedLine } from '../../select/listing/listing-text.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../spec/approval.ts';

const APPROVAL = 'approval';
const ALLOW = 'allow';
/** How many characters of the arguments are shown. The question says how many are left out. */
const MAX_ARGUMENTS = 2_000;

/** What a user may answer over MCP: nothing that outlasts the conversation. */
const ANSWERS = ['once', 'conversation', 'deny'] as const satisfies readonly ApprovalAnswer[];

/** Whether the client can ask its user. */
export function canAsk({ server }: McpServer, { mcpReq }: Pick<ServerContext, 'mcpReq'>): boolean {
  const { [CLIENT_CAPABILITIES_META_KEY]: told } = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line typescript/no-deprecated -- older clients state their capabilities only when they connect
  const { elicitation } = (told as ClientCapabilities | undefined) ?? server.getClientCapabilities() ?? {};
  // If a client does not say how it can ask its user, it can ask by a form.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The question for the user, as the result of a call. The client sends the call again with the answer and the state. */
export function approvalQuestion(request: ApprovalRequest, state: string): InputRequiredResult {
  return inputRequired({
    inputRequests: {
      [APPROVAL]: inputRequired.elicit({
        message: questionText(request),
        requestedSchema: {
          type: 'object',
          properties: { [ALLOW]: { type: 'string', title: 'Allow it?', enum: [...ANSWERS] } },
          required: [ALLOW],
        },
      }),
    },
    requestState: state,
  });
}

/** The user's answer; anything unclear counts as no. */
export function readAnswer({ mcpReq }: Pick<ServerContext, 'mcpReq'>): ApprovalAnswer {
  const allow = acceptedContent(mcpReq.inputResponses, APPROVAL)?.[ALLOW];
  return ANSWERS.find((answer) => answer === allow) ?? 'deny';
}

function questionText({ skill, kind, target, args, trust, tier, network }: ApprovalRequest): string {
  const text = JSON.stringify(args) ?? '';
  const more = text.length - MAX_ARGUMENTS;
  const left = more > 0 ? ` … and ${more} more characters, which are not shown` : '';
  return [
    `Skill ${escapedLine(skill)} wants to run the ${kind} ${escapedLine(target)}.`,
    ...(text === '' || text === '{}' || text === '[]'
      ? []
      : [`With: ${escapedLine(text.slice(0, MAX_ARGUMENTS))}${left}`]),
    `${trust} skill, runs in ${tier}, ${network ? 'with' : 'without'} the network.`,
  ].join('\n');
}

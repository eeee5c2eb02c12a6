import { randomUUID } from 'node:crypto';
import { McpServer, ProtocolError, ProtocolErrorCode, type McpServerFactory } from '@modelcontextprotocol/server';
import { VERSION } from '../../spec/program.ts';
import { createCallSlots, type CallSlots } from './call-slots.ts';
import { sendProgress } from './progress.ts';
import type { ServedSkills } from './served-skills.ts';
import { createCallDesk, type ToolCalls } from './tool-calls.ts';
import { listTools } from './tool-list.ts';
import { toCallResult } from './tool-result.ts';

/** How many calls of one caller run at the same time. */
const MAX_CALLS = 16;
/** Limits names in messages, because a client may send a name of any length. */
const MAX_NAME = 200;

/**
 * Makes MCP servers for one caller's skills: one for each connection, or for each request where there are no
 * connections. All of them share the limit of parallel calls. They speak the revision 2026-07-28 of the protocol, which
 * has no sessions, and those before it.
 */
export function createSkillsServer(skills: ServedSkills): McpServerFactory {
  const slots = createCallSlots(MAX_CALLS);
  const desk = createCallDesk(skills);
  return ({ era, requestInfo }) => {
    const isStateless = era === 'modern' || requestInfo !== undefined;
    const instructions = skills.begin().systemPrompt;
    const mcp = new McpServer(
      { name: 'skillwright', title: 'Skillwright', version: VERSION },
      instructions === '' ? {} : { instructions },
    );
    // The tools are not registered one by one: they change with the files, and the toolset checks their arguments.
    mcp.server.registerCapabilities({ tools: {} });
    mcp.server.setRequestHandler('tools/list', () => ({ tools: listTools(skills.begin(), { isStateless }) }));
    answerCalls(mcp, { skills, slots, calls: isStateless ? desk.stateless : desk.connect() });
    return mcp;
  };
}

interface CallParts {
  readonly skills: ServedSkills;
  readonly slots: CallSlots;
  readonly calls: ToolCalls;
}

function answerCalls({ server }: McpServer, { skills, slots, calls }: CallParts): void {
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    const { signal } = context.mcpReq;
    if (!skills.begin().handles(name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool '${name.slice(0, MAX_NAME)}'.`);
    const executionId = randomUUID();
    const unfollow = sendProgress(skills, executionId, context);
    const outcome = await slots.run(() => calls.call(name, args, { signal, executionId }), signal).finally(unfollow);
    return server.projectCallToolResult(toCallResult(outcome), undefined);
  });
}

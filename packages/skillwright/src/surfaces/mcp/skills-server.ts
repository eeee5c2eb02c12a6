import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { VERSION } from '../../spec/program.ts';
import { answerCalls } from './answer-calls.ts';
import { createAskedCalls } from './asked-calls.ts';
import { createCallSlots } from './call-slots.ts';
import { answerPrompts } from './prompts.ts';
import type { ServedSkills } from './served-skills.ts';
import { createSkillsExtension, type OnUnpublished } from './skill-resources.ts';
import { skillTools } from './skill-tools.ts';
import { createCallDesk } from './tool-calls.ts';
import { listTools } from './tool-list.ts';

/** How many calls of one caller run at the same time. */
const MAX_CALLS = 16;

/** Options of an MCP server. */
export interface SkillsServerOptions {
  /** Offer a tool for each skill, which loads it. Default false: `load_skill` loads them all. */
  readonly toolPerSkill?: boolean | undefined;
  /** Gets the reason why a skill is not published as a resource. */
  readonly onUnpublished: OnUnpublished;
}

/**
 * Makes MCP servers for one caller's skills: one for each connection, or for each request where there are no
 * connections. All of them share the limit of parallel calls. They speak the revision 2026-07-28 of the protocol, which
 * has no sessions, and those before it.
 */
export function createSkillsServer(skills: ServedSkills, options: SkillsServerOptions): McpServerFactory {
  const { toolPerSkill = false } = options;
  const slots = createCallSlots(MAX_CALLS);
  const desk = createCallDesk(skills);
  const asked = createAskedCalls();
  const extension = createSkillsExtension(skills, options.onUnpublished);
  return ({ era, requestInfo }) => {
    const hasConnection = requestInfo === undefined;
    const isStateless = era === 'modern' || !hasConnection;
    const instructions = skills.begin().systemPrompt;
    const mcp = new McpServer(
      { name: 'skillwright', title: 'Skillwright', version: VERSION },
      instructions === '' ? {} : { instructions },
    );
    const { server } = mcp;
    const calls = isStateless ? desk.stateless : desk.connect();
    // Tools are not registered with the library, because they change with the files and the toolset checks their
    // arguments.
    const lists = { listChanged: hasConnection };
    server.registerCapabilities({ tools: lists, prompts: lists, completions: {} });
    server.setRequestHandler('tools/list', () => {
      const conversation = skills.begin();
      return {
        tools: listTools(conversation, { isStateless, perSkill: toolPerSkill ? skillTools(conversation) : [] }),
      };
    });
    // Over HTTP, nobody knows whether a client's answer comes from a person, so the server requests no approvals.
    answerCalls(mcp, { skills, slots, calls, toolPerSkill, asked: hasConnection ? asked : undefined });
    answerPrompts(mcp, skills, calls);
    extension.attach(mcp);
    if (hasConnection) tellChanges(mcp, skills);
    return mcp;
  };
}

/** Tells the client of a connection when the lists change. */
function tellChanges({ server }: McpServer, skills: ServedSkills): void {
  const unfollow = skills.onChange(() => {
    // A client that is gone needs no news.
    server.sendToolListChanged().catch(() => {});
    server.sendPromptListChanged().catch(() => {});
    server.sendResourceListChanged().catch(() => {});
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server has no addEventListener
  server.onclose = unfollow;
}

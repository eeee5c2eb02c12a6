import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { createSkillsProvider, runAgent, type AgentTool } from '../../packages/skillwright/src/index.ts';
import { createScriptedModel } from '../../packages/skillwright/src/testing/index.ts';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { proves } from '../proves.ts';

/** Wraps the tools of an MCP server as the agent's own. */
async function toolsOf(client: Client): Promise<AgentTool[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name, description = '', inputSchema }) => ({
    name,
    description,
    inputSchema: inputSchema as AgentTool['inputSchema'],
    execute: async (args, { signal }) => client.callTool({ name, arguments: args }, { signal }),
  }));
}

it('lets one agent use tools of skills and of an MCP server', async () => {
  proves('S1.10.coexist');
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool(
    'order_status',
    { description: 'Looks up an order.', inputSchema: z.object({ order: z.string() }) },
    ({ order }) => ({ content: [{ type: 'text', text: `Order ${order} has shipped.` }] }),
  );
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  const skills = await createSkillsProvider(new URL('../../skills', import.meta.url));
  const model = await createScriptedModel({
    script: [
      {
        calls: [
          { name: 'order_status', arguments: { order: 'A1' } },
          { name: 'count_words', arguments: { text: 'to be or not' } },
        ],
      },
      { text: 'Shipped, and four words.' },
    ],
  });
  onTestFinished(async () => {
    await Promise.all([client.close(), skills.close(), model.close()]);
  });
  const result = await runAgent({
    model: { format: 'anthropic-messages', apiKey: 'key', model: 'any', baseUrl: model.baseUrl('anthropic-messages') },
    input: 'Where is order A1? And count.',
    skills,
    tools: await toolsOf(client),
  });
  expect(result).toMatchObject({ reason: 'end', text: 'Shipped, and four words.' });
  const [status, count] = model.requests[1]?.conversation?.results ?? [];
  expect(status?.text).toBe('Order A1 has shipped.');
  expect(count?.text).toContain('"words":4');
});

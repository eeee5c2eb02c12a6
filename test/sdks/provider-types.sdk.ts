import type { Tool as AnthropicSdkTool } from '@anthropic-ai/sdk/resources/messages';
import type { Tool as GeminiSdkTool } from '@google/genai';
import type { Tool as AgentTool } from '@openrouter/agent';
import type { ChatFunctionTool, ResponsesRequestToolUnion } from '@openrouter/sdk/models';
import type { ChatCompletionTool } from 'openai/resources/chat/completions';
import type { FunctionTool } from 'openai/resources/responses/responses';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createSkillsProvider } from '../../packages/skillwright/src/index.ts';

const SKILLS = fileURLToPath(new URL('../fixtures/seed-000/skills', import.meta.url));

it('has tools that match the vendors’ declared types', async () => {
  const skills = await createSkillsProvider(SKILLS);
  const chat: ChatCompletionTool[] = skills.toolsFor('openai-chat');
  const responses: FunctionTool[] = skills.tools;
  const anthropic: AnthropicSdkTool[] = skills.toolsFor('anthropic');
  const gemini: GeminiSdkTool[] = skills.toolsFor('gemini');
  const openrouterChat: ChatFunctionTool[] = skills.toolsFor('openai-chat');
  const openrouterResponses: ResponsesRequestToolUnion[] = skills.tools;
  const agent: AgentTool[] = [...skills.sdkTools];
  expect([chat, responses, anthropic, openrouterChat, openrouterResponses, agent].map(({ length }) => length)).toEqual(
    Array.from({ length: 6 }, () => skills.tools.length),
  );
  expect(gemini[0]?.functionDeclarations).toHaveLength(skills.tools.length);
});

/**
 * A tool in a chat completions request. These types match those of the vendors' own clients, without importing them.
 */
export interface OpenAiChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** A tool in a Responses API request. */
export interface OpenAiResponsesTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: false;
}

/** A tool in a request to Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
}

/** All tools of a Gemini request, in one object. */
export interface GeminiTool {
  functionDeclarations: { name: string; description: string; parameters?: object }[];
}

/** The tools that `toolsFor` returns, by format. */
export interface OfferedTools {
  'openai-chat': OpenAiChatTool;
  'openai-responses': OpenAiResponsesTool;
  'anthropic-messages': AnthropicTool;
  anthropic: AnthropicTool;
  gemini: GeminiTool;
}

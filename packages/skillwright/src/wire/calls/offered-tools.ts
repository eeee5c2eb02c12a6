/** A tool as chat completions take it. These types fit those of the vendors' own clients, which nothing here imports. */
export interface OpenAiChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** A tool as the Responses API takes it. */
export interface OpenAiResponsesTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: false;
}

/** A tool as Anthropic's Messages API takes it. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
}

/** All tools of a request, as Gemini takes them: in one object. */
export interface GeminiTool {
  functionDeclarations: { name: string; description: string; parameters?: object }[];
}

/** What `toolsFor` lists, by format. */
export interface OfferedTools {
  'openai-chat': OpenAiChatTool;
  'openai-responses': OpenAiResponsesTool;
  'anthropic-messages': AnthropicTool;
  anthropic: AnthropicTool;
  gemini: GeminiTool;
}

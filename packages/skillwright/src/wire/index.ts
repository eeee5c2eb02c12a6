// `skillwright/wire`: the four formats that model providers speak.
export { wireFormat } from './format.ts';
export { createToolNames, type ToolNames } from './calls/tool-names.ts';
export { addUsage } from './usage.ts';
export { forgetResults } from './history/forget-results.ts';
export { parseExact } from './json/json-text.ts';
export {
  WIRE_FORMATS,
  type AssistantTurn,
  type StopReason,
  type ToolCall,
  type ToolContent,
  type ToolDefinition,
  type ToolResult,
  type Usage,
  type WireBody,
  type WireEvent,
  type WireFormatName,
  type WireFrame,
  type WireStep,
} from '../spec/wire.ts';
export type { HistoryTurn, ModelFormat, StreamReader } from '../spec/formats/model-format.ts';
export type { KeptName, ProxyFormat, StreamWriter } from '../spec/formats/proxy-format.ts';
export type {
  AnthropicTool,
  GeminiTool,
  OfferedTools,
  OpenAiChatTool,
  OpenAiResponsesTool,
} from './calls/offered-tools.ts';

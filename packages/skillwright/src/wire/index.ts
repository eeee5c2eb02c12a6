export { parseExact } from './json/json-text.ts';
export { wireFormat } from './format.ts';
export { addUsage } from './usage.ts';
export { createToolNames, type ToolNames } from './calls/tool-names.ts';
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

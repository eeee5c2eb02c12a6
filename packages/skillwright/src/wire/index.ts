export { parseExact } from './json/exact-json.ts';
export { wireFormat } from './format.ts';
export { addUsage } from './usage.ts';
export { createToolNames, type ToolNames } from './calls/tool-names.ts';
export {
  WIRE_FORMATS,
  type AssistantTurn,
  type HistoryTurn,
  type KeptName,
  type StopReason,
  type StreamReader,
  type StreamWriter,
  type ToolCall,
  type ToolContent,
  type ToolDefinition,
  type ToolResult,
  type Usage,
  type WireBody,
  type WireEvent,
  type WireFormat,
  type WireFormatName,
  type WireFrame,
  type WireStep,
} from '../spec/wire.ts';

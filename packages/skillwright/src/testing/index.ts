// `skillwright/testing`: a scripted model server for tests of agents.
export { createScriptedModel, type ScriptedModel } from './scripted-model.ts';
export type { ScriptedModelOptions } from './scripted-model-options.ts';
export type { Respond, ScriptedCall, ScriptedFault, ScriptedTurn } from './scripted-model-options.ts';
export type {
  Conversation,
  ConversationCall,
  ConversationMessage,
  ConversationResult,
  OfferedTool,
} from '../models/demo/formats/conversation.ts';
export type { RecordedRequest } from './server/recorded-requests.ts';
export type { Refusal } from '../models/demo/formats/served-format.ts';
export type { Strictness } from './server/format-request.ts';
export type { RequestEnding } from './server/reply.ts';

import type { ToolDefinition } from '../../spec/wire.ts';
import { quotedNames, type FailureCause } from './cause.ts';
import { shortenSection, type CallExample, type ToolSection } from './section.ts';
import { inputProblems } from '../tools/tool-input.ts';
import { shorten } from '../../parse/shown-value.ts';

/** A call in the shape of OpenAI's chat API. */
export interface ToolMessageCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments?: unknown };
}

/** The result of a call. */
export type ToolMessageResult =
  | { readonly success: true; readonly result?: unknown }
  | { readonly success: false; readonly error: string };

/** The message that answers a call, in the shape of OpenAI's chat API. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly name: string;
  readonly content: string;
}

/**
 * Makes the message that answers a call of the chat API: its result, `Error: …`, or the error and a skill's guidance.
 */
export function formatToolMessage(
  toolCall: ToolMessageCall,
  toolResult: ToolMessageResult,
  skillGuidance: string | null = null,
): ToolMessage {
  const content = toolResult.success ? shown(toolResult.result) : failureText(toolResult.error, skillGuidance);
  return { role: 'tool', tool_call_id: toolCall.id, name: toolCall.function.name, content };
}

/** The error for the model, with guidance if there is any. */
export function failureText(error: string, guidance: string | null): string {
  return guidance === null || guidance === '' ? `Error: ${error}` : `Tool call failed: ${error}\n\n${guidance}`;
}

function shown(result: unknown): string {
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null');
}

export interface GuidedFailure {
  /** The tool's name as the model called it. */
  readonly tool: string;
  readonly definition: ToolDefinition | undefined;
  readonly cause: FailureCause;
  readonly error: string;
  readonly section: ToolSection;
  /** What to do next. */
  readonly advice: string;
}

/** A message for the model, and the part of it that comes from the skill. */
export interface GuidedMessage {
  readonly text: string;
  readonly quoted: string;
}

const MAX_LISTED = 20;
const MAX_DESCRIPTION = 300;
const MAX_VALUES = 10;

/**
 * Says what went wrong, which parameters the tool requires, an example of a correct call, and what to do. If the
 * arguments are not to blame, the message has the tool's error, the skill's whole section for the tool, and what to do.
 */
export function guidedMessage(failure: GuidedFailure): GuidedMessage {
  const { tool, definition, section, advice } = failure;
  const example = section.examples.find((item) => isFitting(item, definition));
  const reason = reasonOf(failure.cause);
  if (reason === undefined) {
    const quoted = shortenSection(section, example);
    return { text: failureText(failure.error, `${quoted}\n\n${advice}`), quoted };
  }
  const quoted = section.isForTool ? exampleText(tool, example) : shortenSection(section, example);
  const parts = [`Tool call to ${tool} failed because ${reason}.`, requiredText(failure), quoted, advice];
  return { text: parts.filter((part) => part !== '').join('\n\n'), quoted };
}

/** Whether a skill's example fits the host's definition of the tool, which may differ from the skill's. */
function isFitting({ arguments: args }: CallExample, definition: ToolDefinition | undefined): boolean {
  return definition === undefined || inputProblems(definition, args) === undefined;
}

function reasonOf(cause: FailureCause): string | undefined {
  switch (cause.kind) {
    case 'missing-parameter': {
      const names = quotedNames(cause.parameters);
      return cause.parameters.length === 1
        ? `the ${names} parameter is missing`
        : `the ${names} parameters are missing`;
    }
    case 'invalid-parameter':
      return cause.problem.replace(/\.$/, '');
    case 'unreadable-arguments':
      return 'its arguments are not a JSON object';
    case 'unknown-tool':
    case 'other':
      return undefined;
  }
}

function exampleText(tool: string, example: CallExample | undefined): string {
  if (example === undefined) return '';
  const call = JSON.stringify({ tool_name: tool, arguments: example.arguments }, null, 2);
  return `Example of a correct tool call:\n\`\`\`json\n${call}\n\`\`\``;
}

/** Parameters that the definition requires, or that the tool's error said are required. */
function requiredText({ tool, definition, cause, section }: GuidedFailure): string {
  const missing = cause.kind === 'missing-parameter' ? cause.parameters : [];
  const names = [...new Set([...(definition?.inputSchema.required ?? []), ...missing])].slice(0, MAX_LISTED);
  if (names.length === 0) return '';
  const told = describedIn(section);
  const lines = names.map((name) => {
    const schema = definition?.inputSchema.properties[name];
    const { type = told.get(name)?.type, description = told.get(name)?.description } = describe(schema);
    return `- ${name}${type === undefined ? '' : ` (${type})`}${description === undefined ? '' : `: ${sentence(description)}`}`;
  });
  return `Required parameters for ${tool}:\n${lines.join('\n')}`;
}

interface ParameterText {
  readonly type: string | undefined;
  readonly description: string | undefined;
}

function describe(schema: unknown): ParameterText {
  const { type, description, enum: allowed } = (schema ?? {}) as Readonly<Record<string, unknown>>;
  const types = (Array.isArray(type) ? type : [type]).filter((item) => typeof item === 'string');
  const values = Array.isArray(allowed) ? allowed.slice(0, MAX_VALUES).map((item) => JSON.stringify(item)) : [];
  const kinds = [
    ...(types.length > 0 ? [types.join(' or ')] : []),
    ...(values.length > 0 ? [`one of ${values.join(', ')}`] : []),
  ];
  return {
    type: kinds.length > 0 ? kinds.join(', ') : undefined,
    description: typeof description === 'string' && description.trim() !== '' ? description : undefined,
  };
}

const LISTED_PARAMETER =
  /^ {0,3}[-*+] +[`'"*]{0,3}([A-Za-z_][\w-]{0,63})[`'"*]{0,3}(?: \(([^)\n]{1,60})\))?:[`'"*]{0,3} +(\S[^\n]{0,600})/gm;

/** Parameters that the skill describes as `- name (type): description`. */
function describedIn({ text, isForTool }: ToolSection): ReadonlyMap<string, ParameterText> {
  if (!isForTool) return new Map();
  return new Map(
    [...text.matchAll(LISTED_PARAMETER)].map(([, name = '', type, description]) => [name, { type, description }]),
  );
}

function sentence(text: string): string {
  const line = text
    .slice(0, MAX_DESCRIPTION * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const cut = shorten(line, MAX_DESCRIPTION);
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`;
}

import { notFound } from './unknown-names.ts';
import { encodeAnswer } from '../../process/handler-answer.ts';
import { createArgumentCheck, withDefaults } from '../../run/arguments/tool-arguments.ts';
import type { AgentTool } from '../../spec/agent-tool.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { ToolContent, ToolDefinition } from '../../spec/wire.ts';
import { withParsedObjects } from '../../wire/calls/object-arguments.ts';
import { createToolNames } from '../../wire/calls/tool-names.ts';
import { isMetaTool } from '../offer/meta-tools.ts';
import type { AgentSession } from '../session/agent-session.ts';
import { contentText, describeMedia } from './tool-content.ts';
import { readArguments } from './tool-input.ts';
import {
  errorOutcome,
  failedOutcome,
  refusedOutcome,
  thrownOutcome,
  valueOutcome,
  type ToolOutcome,
} from './tool-outcome.ts';
import type { ExecuteOptions, ToolRequest, Toolset } from './toolset.ts';
import { untilAborted } from '../until-aborted.ts';

/** A call with the id from the model's provider. */
export interface CallRequest extends ToolRequest {
  /** The id of the call. Default `''`. */
  readonly callId?: string | undefined;
}

export interface HostToolDefinition extends ToolDefinition {
  readonly isIdempotent?: boolean | undefined;
}

/** A tool whose schema names its properties, if any. */
type HostTool = AgentTool & HostToolDefinition;

/** A dispatcher that knows the host's own tools beside those of skills. */
export interface HostToolset extends Toolset {
  execute(request: CallRequest, options?: ExecuteOptions): Promise<ToolOutcome>;
  /** The definitions of the host's tools, for a request, in the given order. */
  readonly definitions: readonly HostToolDefinition[];
}

export interface HostToolsOptions {
  /** Bytes of text in a result that the model gets; the rest is cut off, with a note. Default 20,480. */
  readonly maxOutputBytes?: number | undefined;
  /**
   * The conversation. Its skills' tools must not share a name with the host's tools. Default: checks the current
   * skills.
   */
  readonly session?: AgentSession | undefined;
  /** Names of the skills' tools, for the error about an unknown tool. Default none. */
  readonly skillToolNames?: ((session: AgentSession | undefined) => readonly string[]) | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

const DEFAULT_MAX_OUTPUT_BYTES = 20_480;
/** Limit of base64 characters in one result. */
const MAX_MEDIA = 4_194_304;
/** Limits names in messages, because a model may send a name of any length. */
const MAX_NAME = 200;

/**
 * Adds the host's own tools to a dispatcher. Arguments are checked before a tool runs. A call fails if the tool throws
 * or returns something that JSON cannot hold, and nothing waits for a tool that ignores its signal. Invalid tools throw
 * `InvalidOptions`.
 */
export function withHostTools(
  skills: Toolset | undefined,
  tools: readonly AgentTool[],
  options: HostToolsOptions = {},
): HostToolset {
  assertTools(tools, (name) => skills?.handles(name, options.session) === true);
  const known = new Map(tools.map((tool) => [tool.name, withProperties(tool)]));
  const maxOutputBytes = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  const check = createArgumentCheck();

  const callHostTool = async (
    tool: HostTool,
    { callId = '', arguments: written }: CallRequest,
    { session, signal }: ExecuteOptions,
  ): Promise<ToolOutcome> => {
    const read = readArguments(written, tool.name);
    if (!read.ok) return refusedOutcome('InvalidArguments', read.sentence);
    const args = withDefaults(tool, withParsedObjects(tool.inputSchema, read.value)) as Arguments;
    const problems = check(tool, args);
    if (problems !== undefined) return refusedOutcome('InvalidArguments', problems);
    try {
      session?.assertAllowed(tool.name, args);
    } catch (error) {
      return errorOutcome(error);
    }
    const context = { callId, signal: signal ?? new AbortController().signal };
    try {
      const ran = await untilAborted(() => tool.execute(args, context), signal);
      if (ran.isAborted) return failedOutcome('Cancelled', `The call of tool '${tool.name}' was cancelled.`);
      return answerOutcome(ran.value, tool.name, maxOutputBytes);
    } catch (error) {
      return thrownOutcome(error);
    }
  };

  return {
    definitions: [...known.values()].map(({ name, description, inputSchema, isIdempotent }) => ({
      name,
      description,
      inputSchema,
      isIdempotent,
    })),
    handles: (name, session) => known.has(name) || skills?.handles(name, session) === true,
    async execute(request, given = {}) {
      const tool = known.get(request.name);
      if (tool !== undefined) return callHostTool(tool, request, given);
      const outcome = await skills?.execute(request, given);
      // Meta-tools always exist, so when one of them reports `ToolNotFound`, it means a tool of a skill.
      const isFound = outcome?.execution?.code !== 'ToolNotFound' || isMetaTool(request.name);
      if (outcome !== undefined && isFound) return outcome;
      const names = [...known.keys(), ...(options.skillToolNames?.(given.session) ?? [])];
      return refusedOutcome('ToolNotFound', notFound('tool', request.name, names).message);
    },
  };
}

/** Converts a tool's result to plain JSON, cut to the size that a model may read. */
function answerOutcome(answer: unknown, tool: string, maxBytes: number): ToolOutcome {
  const encoded = typeof answer === 'string' ? { text: answer } : encodeAnswer(answer);
  if ('refusal' in encoded)
    return failedOutcome('InvalidResult', `Tool '${tool}' returned a value that is not JSON: ${encoded.refusal}.`);
  const text = encoded.text.toWellFormed();
  const outcome = valueOutcome(typeof answer === 'string' ? text : (JSON.parse(text) as unknown), false);
  const content = limitContent(outcome.content, maxBytes);
  if (content.every((item, place) => item === outcome.content[place])) return outcome;
  const shown = contentText(content);
  return { ...outcome, value: shown, content, text: shown };
}

/** Keeps items within the limits: cuts longer texts, and replaces larger media by a description. */
function limitContent(content: readonly ToolContent[], maxBytes: number): ToolContent[] {
  let textLeft = maxBytes;
  let mediaLeft = MAX_MEDIA;
  return content.map((item): ToolContent => {
    if (item.type !== 'text') {
      mediaLeft -= item.data.length;
      return mediaLeft >= 0 ? item : { type: 'text', text: `${describeMedia(item)} [too large to show]` };
    }
    const cut = cutText(item.text, Math.max(0, textLeft));
    textLeft -= Buffer.byteLength(item.text);
    return cut === undefined ? item : { type: 'text', text: cut };
  });
}

function cutText(text: string, maxBytes: number): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return undefined;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return `${text.slice(0, read)}\n[output truncated: ${maxBytes} of ${bytes} bytes]`;
}

function withProperties(tool: AgentTool): HostTool {
  const { name, description, inputSchema, isIdempotent } = tool;
  return {
    name,
    description,
    isIdempotent,
    inputSchema: { ...inputSchema, properties: inputSchema.properties ?? {} },
    execute: (args, context) => tool.execute(args, context),
  };
}

function assertTools(given: unknown, isTaken: (name: string) => boolean): void {
  if (!Array.isArray(given)) throw invalid("Option 'tools' must be a list of tools.");
  const names = new Set<string>();
  for (const [place, tool] of (given as readonly unknown[]).entries()) {
    const problem = shapeProblem(tool);
    if (problem !== undefined) throw invalid(`Tool ${place} of option 'tools' ${problem}.`);
    const { name } = tool as AgentTool;
    if (createToolNames([name]).encode(name) !== name)
      throw invalid(
        `Tool '${name.slice(0, MAX_NAME)}' of option 'tools' has a name that model providers refuse. Use up to 64 letters, digits, '_' and '-', beginning with a letter or '_'.`,
      );
    if (names.has(name)) throw invalid(`Option 'tools' has two tools named '${name}'.`);
    if (isTaken(name))
      throw invalid(`Tool '${name}' of option 'tools' has the same name as a tool of the skills. Rename it.`);
    names.add(name);
  }
}

function shapeProblem(tool: unknown): string | undefined {
  const { name, description, inputSchema, execute } = (tool ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '') return 'has no name';
  if (typeof description !== 'string') return `('${name.slice(0, MAX_NAME)}') has no description`;
  if (typeof execute !== 'function') return `('${name.slice(0, MAX_NAME)}') has no function 'execute'`;
  const { type, properties = {} } = (inputSchema ?? {}) as Readonly<Record<string, unknown>>;
  if (type !== 'object' || typeof properties !== 'object' || properties === null)
    return `('${name.slice(0, MAX_NAME)}') has no inputSchema of an object: { type: 'object', properties: { … } }`;
  return undefined;
}

function invalid(message: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', message, { data: { option: 'tools' } });
}

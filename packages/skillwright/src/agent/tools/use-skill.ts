import { toolHandledBy } from '../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { closestName, didYouMean, quotedNames } from '../../parse/closest-name.ts';
import { isJsonObject } from '../../parse/json/json-source.ts';
import type { SkillExecutionResult } from '../../spec/execution.ts';
import type { SkillTool } from '../../spec/skill.ts';
import { metaTool } from '../offer/meta-tools.ts';
import { meantHandler, meantPath, missingFileSentence, scriptFiles } from './bundled-files.ts';
import { inputProblems, readArguments } from './tool-input.ts';
import { executionOutcome, refusedOutcome, type ToolOutcome } from './tool-outcome.ts';
import { isShowableTool } from './unknown-names.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of a call of `use_skill` that runs a script. */
export interface ScriptArguments {
  readonly script: string;
  readonly args?: readonly string[];
  readonly stdin?: string;
}

/** A call of `use_skill` that calls a tool. */
export interface ToolUse {
  readonly kind: 'tool';
  /** The name of the tool, as the model wrote it. */
  readonly tool: string;
  /** An object, or JSON as the model wrote it. */
  readonly arguments: unknown;
}

/** What a call of `use_skill` asks for. */
type SkillUse =
  | { readonly kind: 'script'; readonly arguments: ScriptArguments }
  | ToolUse
  | { readonly kind: 'invalid'; readonly sentence: string };

const FIELDS: ReadonlySet<string> = new Set(['skill', 'script', 'args', 'stdin', 'remember', 'tool', 'arguments']);
const RUNS_SCRIPT = metaTool('use_skill', []);
const CALLS_TOOL = metaTool('use_skill', [], { callsTools: true });
const MAX_NAME = 200;
const MAX_SHOWN = 20;

/**
 * Reads the arguments of `use_skill`. Models fill fields that they do not need with `null` or empty text, and put the
 * arguments of a tool in other places than `arguments`.
 */
export function readUse(args: Arguments): SkillUse {
  if (isEmpty(args['tool'])) {
    const sentence = inputProblems(RUNS_SCRIPT, args);
    // `inputProblems` has checked the types of the fields.
    return sentence === undefined
      ? { kind: 'script', arguments: args as unknown as ScriptArguments }
      : invalid(sentence);
  }
  if (!isEmpty(args['script'])) return invalid("Give use_skill either 'script' or 'tool', not both.");
  const { skill, tool } = args;
  const sentence = inputProblems(CALLS_TOOL, skill === undefined ? { tool } : { skill, tool });
  return sentence === undefined
    ? { kind: 'tool', tool: String(tool), arguments: toolArguments(args) }
    : invalid(sentence);
}

function toolArguments(args: Arguments): unknown {
  const { arguments: given, args: list } = args;
  if (!isEmpty(given)) return given;
  if (isJsonObject(list)) return list;
  return Object.fromEntries(Object.entries(args).filter(([field]) => !FIELDS.has(field)));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function invalid(sentence: string): SkillUse {
  return { kind: 'invalid', sentence };
}

/** The call of a skill's tool that a call of `use_skill` stands for; any other call unchanged. */
export function meantCall<Request extends { readonly name: string; readonly arguments: unknown }>(
  request: Request,
  snapshot: Snapshot,
): Request {
  if (request.name !== 'use_skill') return request;
  const read = readArguments(request.arguments, request.name);
  const use = read.ok ? readUse(read.value) : undefined;
  if (!read.ok || use?.kind !== 'tool') return request;
  const record = snapshot.find(String(read.value['skill']));
  const tool = record && toolNamed(record, use.tool);
  if (record === undefined || tool === undefined) return request;
  const isOwner = snapshot.tools.get(tool.name)?.skill === record.metadata;
  const name = isOwner ? tool.name : `${record.metadata.name}__${tool.name}`;
  return { ...request, name, arguments: use.arguments };
}

/** A skill's tool by its own name, or by the name under which it would be offered. */
export function toolNamed({ metadata }: SkillRecord, name: string): SkillTool | undefined {
  return (
    metadata.tools.find((tool) => tool.name === name) ??
    metadata.tools.find((tool) => `${metadata.name}__${tool.name}` === name)
  );
}

/** The error for a tool that a skill does not have: names the most similar tool and lists the existing ones. */
export function missingToolSentence(record: SkillRecord, written: string): string {
  const { name: skill, tools } = record.metadata;
  const names = tools.map(({ name }) => name).filter(isShowableTool);
  const wanted = written.slice(0, MAX_NAME);
  const isScript = record.files.has(wanted) && toolHandledBy(record, wanted) === undefined;
  const remedy = isScript ? " It is a file: to run a script, use 'script' instead of 'tool'." : '';
  const existing = names.length === 0 ? 'The skill has no tools.' : `Its tools: [${quotedNames(names, MAX_SHOWN)}]`;
  return `Skill '${skill}' has no tool '${wanted}'.${didYouMean(closestName(wanted, names))}${remedy} ${existing}`;
}

interface ScriptRequest {
  readonly record: SkillRecord;
  /** The path or file name of the script, as the model wrote it. */
  readonly script: string;
  /** Runs the script at a path. */
  readonly run: (path: string) => Promise<SkillExecutionResult>;
  /** How to call a tool of the skill, as the end of a sentence. */
  readonly howToCall: (tool: SkillTool) => string;
}

/** Runs a script of a skill. The handler of a tool is not a script: run as one, it would do nothing and succeed. */
export async function runSkillScript(request: ScriptRequest): Promise<ToolOutcome> {
  const { record, script } = request;
  const path = meantPath(record, script, scriptFiles);
  const handled = meantHandler(record, path);
  if (handled !== undefined)
    return refusedOutcome(
      'ScriptNotAllowed',
      `'${handled.script ?? path}' belongs to the tool '${handled.name}' and cannot run as a script: ${request.howToCall(handled)}.`,
    );
  const result = await request.run(path);
  if (result.code !== 'ScriptNotFound') return executionOutcome(result);
  const tool = record.metadata.tools.find(({ name }) => name === script);
  const sentence =
    tool === undefined
      ? missingFileSentence(record, script, scriptFiles(record))
      : `'${tool.name}' is a tool of the skill, not a script: ${request.howToCall(tool)}.`;
  return executionOutcome({ ...result, error: `ScriptNotFound: ${sentence}` });
}

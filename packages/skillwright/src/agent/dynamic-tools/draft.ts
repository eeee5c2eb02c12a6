import { parseToolsManifest } from '../../parse/manifest/tools-manifest.ts';
import type { SkillTool } from '../../spec/skill.ts';
import { MODEL_PROVENANCE } from '../../spec/trust.ts';
import { messageOf } from '../../spec/errors/caught-error.ts';
import { isJsonObject } from '../../parse/json/json-source.ts';

/** A tool that a model wrote, checked but not run. */
export interface ToolDraft {
  readonly tool: SkillTool;
  /** The skill's directory name: the tool's, with hyphens. */
  readonly skillName: string;
  /** Content by path: SKILL.md, tools.json and the handler. */
  readonly files: Readonly<Record<string, string>>;
}

/** What `define_tool` is given: all texts, as the specification has it. */
export interface DefineToolInput {
  readonly name: string;
  readonly description: string;
  readonly parameters?: string | undefined;
  readonly code: string;
  /** `"true"` to save it. */
  readonly persistent?: string | undefined;
}

/** Models also write `parameters` as the object it is the text of, and `persistent` as a boolean. */
export function asDefinition(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { parameters, persistent } = args;
  const isObject = typeof parameters === 'object' && parameters !== null;
  return {
    ...args,
    ...(isObject ? { parameters: JSON.stringify(parameters) } : {}),
    ...(typeof persistent === 'boolean' ? { persistent: String(persistent) } : {}),
  };
}

const NAME = /^[a-z][a-z0-9_]{0,59}$/;
const MAX_CODE_LENGTH = 200_000;

/** Checks a definition: a draft, or what is wrong with it. The code is parsed, never run. */
export function draftTool(input: DefineToolInput): { ok: true; draft: ToolDraft } | { ok: false; sentence: string } {
  const { name, code } = input;
  const description = input.description.trim();
  if (!NAME.test(name))
    return no(
      `'${shown(name)}' is no name for a tool: begin with a small letter, then small letters, digits and underscores, at most 60.`,
    );
  if (description === '') return no('The description is empty: say what the tool does.');
  if (code.length > MAX_CODE_LENGTH) return no(`The code has more than ${MAX_CODE_LENGTH} characters.`);
  const parameters = parseParameters(input.parameters);
  if (!parameters.ok) return parameters;
  const mistake = syntaxMistake(code);
  if (mistake !== undefined)
    return no(
      `The code is not the body of a JavaScript function: ${mistake}. Write only what goes between the braces of 'async function handler(args) { … }'.`,
    );
  const script = `scripts/${name}.js`;
  const manifest = `${JSON.stringify([{ name, description, script, parameters: parameters.value }], undefined, 2)}\n`;
  const { tools, diagnostics } = parseToolsManifest(manifest, { path: 'tools.json' });
  const [tool] = tools;
  const problem = diagnostics.find(({ severity }) => severity !== 'info');
  if (tool === undefined || problem !== undefined)
    return no(`The parameters do not fit: ${problem?.message ?? 'they are no parameter definitions'}`);
  const skillName = name.replaceAll('_', '-');
  return {
    ok: true,
    draft: {
      tool,
      skillName,
      files: {
        'SKILL.md': skillText(skillName, name, description),
        'tools.json': manifest,
        [script]: `export default async function handler(args) {\n${code}\n}\n`,
      },
    },
  };
}

function parseParameters(text: string | undefined): { ok: true; value: object } | { ok: false; sentence: string } {
  if (text === undefined || text.trim() === '') return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return { ok: true, value };
  } catch (error) {
    const reason = messageOf(error);
    return no(
      `'parameters' must be a JSON object of parameter definitions (${reason}), such as {"city": {"type": "string", "description": "Name of the city"}}.`,
    );
  }
  return no("'parameters' must be a JSON object of parameter definitions.");
}

/** Compiles the body by itself, so that it cannot close the function around it. */
function syntaxMistake(code: string): string | undefined {
  const AsyncFunction = Object.getPrototypeOf(async () => {}) as {
    readonly constructor: new (...parts: string[]) => unknown;
  };
  try {
    Reflect.construct(AsyncFunction.constructor, ['args', `'use strict';\n${code}\n`]);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function skillText(skillName: string, tool: string, description: string): string {
  return `---
name: ${skillName}
description: ${JSON.stringify(description.replaceAll(/\s+/g, ' ').slice(0, 1_000))}
metadata:
  ${MODEL_PROVENANCE.key}: ${MODEL_PROVENANCE.value}
---

# ${skillName}

${description}

Call the tool \`${tool}\`. A model wrote it with \`define_tool\`; whoever has read and trusts it may remove the line
\`${MODEL_PROVENANCE.key}\` above.
`;
}

function no(sentence: string): { ok: false; sentence: string } {
  return { ok: false, sentence };
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

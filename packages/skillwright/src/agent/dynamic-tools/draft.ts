import { parseToolsManifest } from '../../parse/manifest/tools-manifest.ts';
import type { SkillTool } from '../../spec/skill.ts';
import { MODEL_PROVENANCE } from '../../spec/trust.ts';
import { messageOf, SkillwrightError } from '../../spec/errors/error.ts';
import { isJsonObject } from '../../parse/json/json-source.ts';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A tool that a model wrote. Its code was checked but has not run. */
export interface ToolDraft {
  readonly tool: SkillTool;
  /** The directory name of the saved skill: the tool's name with hyphens instead of underscores. */
  readonly skillName: string;
  /** Content by path: SKILL.md, tools.json and the handler. */
  readonly files: Readonly<Record<string, string>>;
}

/** The arguments of `define_tool`: all strings, as the specification requires. */
export interface DefineToolInput {
  readonly name: string;
  readonly description: string;
  readonly parameters?: string | undefined;
  readonly code: string;
  /** `"true"` saves the tool as a skill on disk. */
  readonly persistent?: string | undefined;
}

/**
 * Models sometimes write `parameters` as an object instead of JSON text, and `persistent` as a boolean. Both are
 * accepted.
 */
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

/** Checks a definition and returns a draft or what is wrong with it. The code is parsed, never run. */
export function draftTool(input: DefineToolInput): { ok: true; draft: ToolDraft } | { ok: false; sentence: string } {
  const { name, code } = input;
  const description = input.description.trim();
  if (!NAME.test(name))
    return no(
      `'${shown(name)}' is not a valid tool name. Use at most 60 lowercase letters, digits and underscores, beginning with a letter.`,
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
    return no(`The parameters are invalid: ${problem?.message ?? 'they are not parameter definitions'}`);
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

/**
 * Returns the syntax error in a tool's code, if there is one. Compiles the code as the body of its own function: an
 * extra `}` in the code is then an error and cannot close an enclosing function.
 */
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

Call the tool \`${tool}\`. A model wrote it with \`define_tool\`. Once you have read it and trust it, remove the line
\`${MODEL_PROVENANCE.key}\` above.
`;
}

function no(sentence: string): { ok: false; sentence: string } {
  return { ok: false, sentence };
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The file in a saved skill that records a digest of every other file, so that later edits are noticed. */
const LEDGER = '.skillwright.json';

/** Writes a draft as a skill: either all of its files or none. Never replaces an existing file. */
export async function saveTool(draft: ToolDraft, directory: string): Promise<string> {
  const path = join(directory, draft.skillName);
  const temporary = join(directory, `.defining-${randomUUID()}`);
  try {
    await mkdir(directory, { recursive: true });
    if ((await readdir(directory)).includes(draft.skillName)) throw alreadyThere(path);
    for (const [file, content] of Object.entries({ ...draft.files, [LEDGER]: ledgerOf(draft.files) })) {
      await mkdir(dirname(join(temporary, file)), { recursive: true });
      await writeFile(join(temporary, file), content, { flag: 'wx' });
    }
    await rename(temporary, path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOTEMPTY' || error.code === 'EEXIST' ? alreadyThere(path) : error;
    });
    return path;
  } catch (error) {
    if (SkillwrightError.isInstance(error)) throw error;
    throw failed(`The tool could not be saved at ${path}`, error);
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

/** Removes a skill that `saveTool` wrote. If its files have changed since, removes nothing and returns the reason. */
export async function removeSavedTool(path: string): Promise<string | undefined> {
  const ledger = await readLedger(path);
  if (ledger === undefined) return 'it was not created by define_tool';
  const found = await filesIn(path, '');
  const expected = [...Object.keys(ledger), LEDGER].sort();
  if (found.join('\n') !== expected.join('\n')) return 'files were added to it or removed from it';
  for (const [file, digest] of Object.entries(ledger))
    if (digestOf(await readFile(join(path, file))) !== digest) return `${file} was edited`;
  const condemned = join(dirname(path), `.removing-${randomUUID()}`);
  await rename(path, condemned);
  await rm(condemned, { recursive: true, force: true });
  return undefined;
}

async function readLedger(path: string): Promise<Record<string, string> | undefined> {
  try {
    const { files } = JSON.parse(await readFile(join(path, LEDGER), 'utf8')) as { files?: unknown };
    if (typeof files !== 'object' || files === null) return undefined;
    return Object.values(files).every((digest) => typeof digest === 'string')
      ? (files as Record<string, string>)
      : undefined;
  } catch {
    return undefined;
  }
}

async function filesIn(root: string, inside: string): Promise<string[]> {
  const entries = await readdir(join(root, inside), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesIn(root, path)));
    else found.push(path);
  }
  return found.sort();
}

function ledgerOf(files: ToolDraft['files']): string {
  const digests = Object.fromEntries(Object.entries(files).map(([file, content]) => [file, digestOf(content)]));
  return `${JSON.stringify({ madeBy: 'define_tool', files: digests }, undefined, 2)}\n`;
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function alreadyThere(path: string): SkillwrightError {
  return new SkillwrightError('ToolNotSaved', `${path} already exists and is not replaced. Choose another name.`, {
    data: { path },
  });
}

function failed(what: string, error: unknown): SkillwrightError {
  const reason = messageOf(error);
  return new SkillwrightError('ToolNotSaved', `${what}: ${reason}.`, { cause: error });
}

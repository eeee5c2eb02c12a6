import { isJsonObject, jsonObject } from '../../parse/json/json-source.ts';
import { outlineMarkdown, type MarkdownFence, type MarkdownHeading, type MarkdownOutline } from './outline.ts';

/** The part of a skill that is about one tool. */
export interface ToolSection {
  /** Markdown, including its heading. */
  readonly text: string;
  /** Calls of the tool in this section, best first; empty for tools in general. */
  readonly examples: readonly CallExample[];
  /** Whether the section is about the tool asked for, or about tools in general. */
  readonly isForTool: boolean;
}

/** A call that a skill shows. */
export interface CallExample {
  /** The tool it names, if any. */
  readonly toolName: string | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The code block that shows it. */
  readonly fence: MarkdownFence;
}

/** The maximum length, in characters, of a general section: a longer section is not worth its tokens. */
const MAX_GENERAL = 2_000;
const MAX_SECTION = 4_000;
const MAX_EXAMPLE = 4_000;
const MAX_EXAMPLES = 20;

/** Matches a heading such as `Tool: list_files` or `` `search` ``. */
const TOOL_TITLE = /^tools? ?[:–—-] ?\S|`[^`]+`/i;
/** Matches `list_files` and `FileSystemTool.list`, which cannot be ordinary words. */
const TOOL_NAME = /(?:^|\s)[A-Za-z]\w*[_.][A-Za-z]\w*(?:\(\))?(?:\s|$)/;
/** Matches nothing. */
const NOTHING = /(?!)/;

const GENERAL_TITLE = /\b(?:any|every|all|each|other)\b.*\btools?\b|^general\b|\bgeneric\b/i;

/**
 * What a skill says about a tool: the section under the deepest heading that names it, up to the next heading of its
 * level or above; otherwise the first example that calls the tool. Names are compared without case, and `_` equals `-`.
 */
export function findToolSection(
  body: string,
  tool: string,
  outline: MarkdownOutline = outlineMarkdown(body),
): ToolSection | undefined {
  const wanted = keyOf(tool);
  const named = outline.headings.filter(({ title }) => isNamedIn(title, tool));
  const deepest = named.toSorted((a, b) => b.level - a.level)[0];
  if (deepest !== undefined) {
    const text = textBelow(outline, deepest);
    return { text, examples: examplesIn(text, wanted), isForTool: true };
  }
  const example = outline.fences
    .filter(({ text }) => keyOf(text).includes(wanted))
    .flatMap((fence) => readExample(fence) ?? [])
    .find(({ toolName }) => toolName !== undefined && keyOf(toolName) === wanted);
  if (example === undefined) return undefined;
  const text = `\`\`\`json\n${example.fence.text}\n\`\`\``;
  return { text, examples: examplesIn(text, wanted), isForTool: true };
}

/**
 * What a skill says about tools in general: a section with a general title, or all of a short skill that names no tool.
 */
export function findGeneralSection(
  body: string,
  outline: MarkdownOutline = outlineMarkdown(body),
): ToolSection | undefined {
  const heading = outline.headings.find(({ title }) => GENERAL_TITLE.test(title));
  if (heading !== undefined) {
    const text = textBelow(outline, heading);
    if (text.length <= MAX_GENERAL) return { text, examples: [], isForTool: false };
  }
  const text = body.trim();
  if (text === '' || text.length > MAX_GENERAL || isAboutTools(outline)) return undefined;
  return { text, examples: [], isForTool: false };
}

/** Whether a skill's headings or examples name tools. Such a skill says nothing about other tools. */
function isAboutTools({ headings, fences }: MarkdownOutline): boolean {
  return (
    headings.some(({ title }) => TOOL_TITLE.test(title) || TOOL_NAME.test(title)) ||
    fences.some((fence) => readExample(fence)?.toolName !== undefined)
  );
}

/** The section for the model: if it is long, it is cut between blocks, and the example is kept. */
export function shortenSection({ text }: ToolSection, example: CallExample | undefined): string {
  if (text.length <= MAX_SECTION) return text;
  const { lines, fences } = outlineMarkdown(text);
  let length = 0;
  let end = lines.findIndex((line) => (length += line.length + 1) > MAX_SECTION);
  const cutFence = fences.find((fence) => fence.start < end && fence.end >= end);
  end = cutFence?.start ?? end;
  const kept = end === 0 ? text.slice(0, MAX_SECTION).toWellFormed() : lines.slice(0, end).join('\n').trimEnd();
  const isKept = example === undefined || example.fence.start < end;
  return [kept, '[shortened]', ...(isKept ? [] : [`\`\`\`json\n${example.fence.text}\n\`\`\``])].join('\n\n');
}

/** Two names are the same if they differ only in `_`, `-` and case. */
function keyOf(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

/**
 * Whether a heading names the tool. The heading may contain more than the name: `Tool: list_files()`, `list_files and
 * read_file`. A name that is also a word, such as `search`, counts only alone or as code.
 */
function isNamedIn(title: string, tool: string): boolean {
  const wanted = keyOf(tool);
  const bare = withoutEnds(title.replace(/^tools? ?[:–—-]/i, ''), /[\s`*]/, /[\s`*():.]/);
  const code = [...title.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  const words = /[\w.][-_.A-Z0-9]/.test(tool) ? title.split(/[^\p{L}\p{N}_.-]+/u) : [];
  return wanted !== '' && [bare, ...code, ...words].some((name) => keyOf(withoutEnds(name, NOTHING, /\./)) === wanted);
}

/** Strips characters of one class from the start and of another from the end. */
function withoutEnds(text: string, atStart: RegExp, atEnd: RegExp): string {
  let start = 0;
  let end = text.length;
  while (start < end && atStart.test(text.charAt(start))) start += 1;
  while (end > start && atEnd.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** A heading and the text below it, up to the next heading of the same or a higher level. */
function textBelow({ lines, headings }: MarkdownOutline, heading: MarkdownHeading): string {
  const next = headings.find(({ line, level }) => line > heading.line && level <= heading.level);
  return lines.slice(heading.line, next?.line).join('\n').trim();
}

/**
 * The examples in a section: first those that name the tool, then those without a name. Leaves out calls of other
 * tools.
 */
function examplesIn(text: string, wanted: string): CallExample[] {
  const all = outlineMarkdown(text).fences.flatMap((fence) => readExample(fence) ?? []);
  const named = all.filter(({ toolName }) => toolName !== undefined && keyOf(toolName) === wanted);
  return [...named, ...all.filter(({ toolName }) => toolName === undefined)].slice(0, MAX_EXAMPLES);
}

/**
 * Reads a code block with `{ "tool_name": …, "arguments": … }`, `{ "name": …, "arguments": … }`, or only the arguments.
 */
function readExample(fence: MarkdownFence): CallExample | undefined {
  if (!['', 'json', 'jsonc', 'json5'].includes(fence.language) || fence.text.length > MAX_EXAMPLE) return undefined;
  const value = jsonObject(fence.text);
  if (value === undefined) return undefined;
  const toolName = [value['tool_name'], value['name']].find((item) => typeof item === 'string');
  const written = value['arguments'];
  const args = typeof written === 'string' ? jsonObject(written) : written;
  if (toolName !== undefined && isJsonObject(args)) return { toolName, arguments: args, fence };
  return { toolName: undefined, arguments: value, fence };
}

import { parseToolRule, type ToolRule } from '../../parse/skill/allowed-tools.ts';
import { readShellCommand, type ShellReading, type ShellPart } from '../shell/shell-parts.ts';
import { commandGlobs, hostOf, matchesDomain, matchesGlob, matchesPath, mayMatchGlob } from './tool-pattern.ts';

/** The input of a tool call, such as `{ command: 'git status' }`. */
export type ToolInput = Readonly<Record<string, unknown>>;

export interface ToolRules {
  /** The allowing rules. If `undefined`, everything is allowed; if empty, nothing is. */
  readonly allowed: readonly ToolRule[] | undefined;
  /** The disallowing rules, which take precedence over `allowed`. */
  readonly disallowed: readonly ToolRule[];
}

/** Tools with two names. An entry for one name also applies to the other. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  Bash: ['execute_command'],
  Read: ['file_read'],
  Write: ['file_write'],
  Edit: ['file_write'],
  WebFetch: ['http_request'],
  WebSearch: ['web_search'],
  execute_command: ['Bash'],
  file_read: ['Read'],
  file_write: ['Write', 'Edit'],
  http_request: ['WebFetch'],
  web_search: ['WebSearch'],
};

const PATH_FIELDS = ['path', 'file_path', 'notebook_path'];

/** The entries of a list as rules. Invalid entries match nothing and are left out. */
export function toToolRules(entries: readonly string[]): readonly ToolRule[] {
  return entries.map(parseToolRule).filter((rule) => rule !== undefined);
}

/**
 * Whether the rules allow a call. A rule with a pattern needs an input that it can read: otherwise an allowing rule
 * allows nothing, and a disallowing rule disallows everything.
 */
export function allowsTool(rules: ToolRules, tool: string, input?: ToolInput): boolean {
  const use: ToolUse = { tool, input: typeof input === 'object' && input !== null ? input : {} };
  const read = readOnce(use.input);
  return isListed(rules, use, read) && !isDisallowed(rules.disallowed, use, read);
}

interface ToolUse {
  readonly tool: string;
  readonly input: ToolInput;
}

type CommandReader = () => ShellReading | undefined;

function isListed({ allowed, disallowed }: ToolRules, { tool, input }: ToolUse, read: CommandReader): boolean {
  if (allowed === undefined) return true;
  const own = rulesFor(allowed, tool);
  if (hasPlain(own)) return true;
  if (own.length === 0) return false;
  if (!isShell(tool)) {
    const values = valuesOf(tool, input);
    // Every value must match, because it is unknown which one the tool uses.
    return values.length > 0 && values.every((value) => own.some((rule) => matchesValue(rule, tool, value) ?? false));
  }
  const { parts = [], writes = [] } = read() ?? {};
  // A redirection to a file counts as a use of Write.
  const canWrite = hasPlain(rulesFor(allowed, 'Write')) && rulesFor(disallowed, 'Write').length === 0;
  const judged = parts.filter((part) => !part.isTransparent);
  if (judged.length === 0 || (writes.length > 0 && !canWrite)) return false;
  const globs = own.flatMap(globsOf);
  return judged.every(({ text }) => globs.some((glob) => matchesGlob(glob, text)));
}

function isDisallowed(rules: readonly ToolRule[], { tool, input }: ToolUse, read: CommandReader): boolean {
  const own = rulesFor(rules, tool);
  if (own.length === 0 || hasPlain(own)) return own.length > 0;
  if (!isShell(tool)) {
    const values = valuesOf(tool, input);
    return values.length === 0 || values.some((value) => own.some((rule) => matchesValue(rule, tool, value) ?? true));
  }
  const globs = own.flatMap(globsOf);
  const isMatched = ({ text, known }: ShellPart): boolean =>
    globs.some((glob) => matchesGlob(glob, text) || (known < text.length && mayMatchGlob(glob, text.slice(0, known))));
  return read()?.parts.some(isMatched) ?? true;
}

function rulesFor(rules: readonly ToolRule[], tool: string): readonly ToolRule[] {
  const names = [tool, ...(Object.hasOwn(OTHER_NAMES, tool) ? (OTHER_NAMES[tool] ?? []) : [])];
  return rules.filter((rule) => names.some((name) => matchesGlob(rule.tool, name)));
}

function hasPlain(rules: readonly ToolRule[]): boolean {
  return rules.some((rule) => rule.pattern === undefined);
}

function globsOf(rule: ToolRule): readonly string[] {
  return commandGlobs(rule.pattern ?? '*');
}

function isShell(tool: string): boolean {
  return tool === 'Bash' || tool === 'execute_command';
}

function isWeb(tool: string): boolean {
  return tool === 'WebFetch' || tool === 'http_request';
}

/**
 * The values that patterns are compared with: the URL of a web tool, or every path for tools without their own pattern
 * syntax.
 */
function valuesOf(tool: string, input: ToolInput): readonly unknown[] {
  const fields = isWeb(tool) ? ['url'] : PATH_FIELDS;
  return fields.map((field) => input[field]).filter((value) => value !== undefined);
}

/** Whether a value matches a rule; `undefined` if this cannot be decided. */
function matchesValue({ pattern = '*' }: ToolRule, tool: string, value: unknown): boolean | undefined {
  if (typeof value !== 'string') return undefined;
  if (!isWeb(tool)) return matchesPath(pattern, value);
  const host = hostOf(value);
  return host === undefined ? undefined : matchesDomain(pattern, host);
}

/**
 * Returns a function that parses the command when a pattern first needs it, and only once. Each entry of `args` is one
 * word.
 */
function readOnce({ command, args = [] }: ToolInput): CommandReader {
  let reading: { readonly value: ShellReading | undefined } | undefined;
  return () => {
    reading ??= { value: readInput(command, args) };
    return reading.value;
  };
}

function readInput(command: unknown, args: unknown): ShellReading | undefined {
  if (typeof command !== 'string' || !Array.isArray(args)) return undefined;
  const words: string[] = [command];
  for (const word of args as readonly unknown[]) {
    if (typeof word !== 'string') return undefined;
    words.push(`'${word.replaceAll("'", String.raw`'\''`)}'`);
  }
  return readShellCommand(words.join(' '));
}

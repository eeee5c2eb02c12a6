import { shown } from '../shown-value.ts';

/** One entry of a tool list. Without a pattern, it matches every use of the tool. */
export interface ToolRule {
  /** Letters, digits and `_ - . : * /`; `*` is a wildcard, as in `mcp__github__*`. */
  readonly tool: string;
  /** The text between the parentheses, trimmed, with `\(`, `\)` and `\\` unescaped. */
  readonly pattern?: string;
}

export interface ParsedToolList {
  /**
   * Trimmed entries, each once, as written, except that `Tool(*)` becomes `Tool`. Invalid entries are kept: they match
   * nothing, whereas a list that became empty would restrict nothing.
   */
  readonly entries: readonly string[];
  /** What is wrong, each as a phrase without a full stop. */
  readonly problems: readonly string[];
}

const MAX_PROBLEMS = 20;
/** Matches a list of plain names and commas. Most lists are like this and do not need the full grammar. */
const PLAIN_LIST = /^[A-Za-z]\w*(?:, ?[A-Za-z]\w*){0,40}$/;
const TOOL_NAME = /^[\w.:*/-]+$/;

/** Reads `allowed-tools` and `disallowed-tools`: text separated by commas or spaces, or a list of such texts. */
export function parseToolList(value: unknown): ParsedToolList {
  if (typeof value === 'string' && PLAIN_LIST.test(value)) return { entries: distinctNames(value), problems: [] };
  const entries = new Set<string>();
  const problems: string[] = [];
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    if (item === undefined || item === null) continue;
    const text = textOf(item, Array.isArray(value));
    if (text === undefined) {
      problems.push(`${shown(item)} is not a tool`);
      continue;
    }
    for (const entry of splitEntries(text)) {
      const rule = parseToolRule(entry);
      if (rule === undefined) problems.push(`${shown(entry)} ${faultOf(entry)}`);
      entries.add(rule !== undefined && rule.pattern === undefined ? rule.tool : entry);
    }
  }
  const more = problems.length - MAX_PROBLEMS;
  if (more > 0) problems.splice(MAX_PROBLEMS, more, `${more} more entries are invalid`);
  return { entries: [...entries], problems };
}

function distinctNames(list: string): string[] {
  const names: string[] = [];
  for (const part of list.split(',')) {
    const name = part.trim();
    if (!names.includes(name)) names.push(name);
  }
  return names;
}

/**
 * Reads `Tool` or `Tool(pattern)`. `undefined` if parentheses do not match, the pattern is empty or the name is
 * invalid.
 */
export function parseToolRule(entry: string): ToolRule | undefined {
  const text = entry.trim();
  const open = text.indexOf('(');
  const tool = open < 0 ? text : text.slice(0, open);
  if (!TOOL_NAME.test(tool) || !/[a-z*]/i.test(tool)) return undefined;
  if (open < 0) return { tool };
  if (closingParenthesis(text, open) !== text.length - 1) return undefined;
  const pattern = text
    .slice(open + 1, -1)
    .trim()
    .replaceAll(/\\([()\\])/g, '$1');
  if (pattern === '') return undefined;
  return pattern === '*' ? { tool } : { tool, pattern };
}

function textOf(item: unknown, isListItem: boolean): string | undefined {
  if (typeof item === 'string') {
    // A YAML list that was read as text still has its brackets.
    const text = item.trim();
    return text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  }
  if (!isListItem || typeof item !== 'object' || Array.isArray(item)) return undefined;
  // YAML reads `- Bash(git: status)` without quotes as a mapping.
  const [pair, ...others] = Object.entries(item ?? {});
  return pair !== undefined && others.length === 0 && typeof pair[1] === 'string'
    ? `${pair[0]}: ${pair[1]}`
    : undefined;
}

/** Splits at commas and white space outside parentheses; a parenthesis after a space still belongs to its tool. */
function splitEntries(text: string): readonly string[] {
  const entries: string[] = [];
  let start = 0;
  let isAfterComma = true;
  const take = (end: number): void => {
    const entry = text.slice(start, end).replace(/^(["'`])(.*)\1$/s, '$2');
    if (entry === '') return;
    const last = entries.at(-1);
    if (entry.startsWith('(') && !isAfterComma && last !== undefined && !last.includes('('))
      entries[entries.length - 1] = last + entry;
    else entries.push(entry);
    isAfterComma = false;
  };
  for (let position = 0; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (character === '(') position = closingParenthesis(text, position);
    if (character !== ',' && !/\s/.test(character)) continue;
    take(position);
    if (character === ',') isAfterComma = true;
    start = position + 1;
  }
  take(text.length);
  return entries;
}

/** The offset of the parenthesis that closes the one at `open`, or of the end of the text. */
function closingParenthesis(text: string, open: number): number {
  let depth = 0;
  for (let position = open; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (character === '\\' && '()\\'.includes(text.charAt(position + 1) || ' ')) position += 1;
    else if (character === '(') depth += 1;
    else if (character === ')' && --depth === 0) return position;
  }
  return text.length;
}

function faultOf(entry: string): string {
  const open = entry.indexOf('(');
  if (open >= 0 && closingParenthesis(entry, open) !== entry.length - 1) return 'has parentheses that do not match';
  return "is not a tool, such as 'Read', or a tool with a pattern, such as 'Bash(git:*)'";
}

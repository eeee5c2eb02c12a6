import { type YamlEntry, type YamlValue, parseFullYaml } from './yaml-full.ts';

/** A top-level key and everything up to the next key. `line` is the 1-based line number within the text. */
interface Section {
  readonly key: string;
  readonly value: string;
  readonly rest: readonly string[];
  readonly line: number;
}

export interface Repair {
  /** The text to parse again. */
  readonly text: string;
  readonly changes: readonly Change[];
}

interface Change {
  readonly line: number;
  readonly key: string;
  readonly reason: string;
}

/** Why tabs were removed. */
export const TABS = 'tabs cannot indent YAML';

/** The most values that are tried one by one, because each try takes time. */
const MAX_SECTIONS = 200;
const KEY_LINE = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/;

/**
 * First repair: quotes each top-level value that is not valid YAML by itself, such as `description: Use when: asked`,
 * `argument-hint: [a] [b]` or a value that starts with `@`.
 */
export function quoteBrokenValues(text: string): Repair {
  const changes: Change[] = [];
  const lines = withoutTabbedKeys(splitLines(text), changes);
  const sections = sectionsOf(lines, KEY_LINE);
  if (sections.length > MAX_SECTIONS) return { text, changes: [] };
  const output: string[] = lines.slice(0, (sections[0]?.line ?? lines.length + 1) - 1);
  for (const section of sections) {
    const source = lines.slice(section.line - 1, section.line + section.rest.length);
    const parsed = parseFullYaml(source.join('\n'));
    if (parsed.kind !== 'invalid') {
      output.push(...source);
      continue;
    }
    const untabbed = source.map((line) => line.replace(/^\t+/, (tabs) => '  '.repeat(tabs.length)));
    if (section.rest.some((line) => line.startsWith('\t')) && parseFullYaml(untabbed.join('\n')).kind === 'mapping') {
      output.push(...untabbed);
      changes.push({ line: section.line, key: section.key, reason: TABS });
      continue;
    }
    output.push(`${section.key}: ${JSON.stringify(joinedText(section))}`);
    changes.push({ line: section.line, key: section.key, reason: parsed.reason });
  }
  return { text: output.join('\n'), changes };
}

/** Removes tabs before a key that follows a key with a value: it cannot be nested, so the tabs are a mistake. */
function withoutTabbedKeys(lines: readonly string[], changes: Change[]): string[] {
  let followsValue = false;
  return lines.map((line, index) => {
    const bare = line.replace(/^\t+/, '');
    const match = KEY_LINE.exec(bare);
    if (match?.[1] === undefined || (bare !== line && !followsValue)) return line;
    followsValue = (match[2] ?? '').trim() !== '';
    if (bare !== line) changes.push({ line: index + 1, key: match[1], reason: TABS });
    return bare;
  });
}

const LOOSE_KEY_LINE = /^[ \t]{0,3}["']?([A-Za-z_][\w-]*)["']?[ \t]*:(?:[ \t]*(.*))?$/;

/** Last repair: reads the top-level keys line by line, as texts and lists of texts. */
export function readKeyLines(text: string): YamlEntry[] {
  const entries = new Map<string, YamlValue>();
  for (const section of sectionsOf(splitLines(text), LOOSE_KEY_LINE)) {
    const items = section.rest.map((line) => line.trim()).filter((line) => line !== '');
    const isList = section.value.trim() === '' && items.length > 0 && items.every((line) => line.startsWith('- '));
    entries.set(
      section.key,
      isList ? items.map((line) => unquote(line.slice(2).trim())) : unquote(joinedText(section)),
    );
  }
  return [...entries];
}

function splitLines(text: string): string[] {
  return text.split(/\r?\n/);
}

/** Splits lines into sections. Comments and blank lines before the first key do not belong to a section. */
function sectionsOf(lines: readonly string[], keyLine: RegExp): Section[] {
  const sections: { key: string; value: string; rest: string[]; line: number }[] = [];
  for (const [index, line] of lines.entries()) {
    const match = keyLine.exec(line);
    const current = sections.at(-1);
    if (match?.[1] !== undefined) sections.push({ key: match[1], value: match[2] ?? '', rest: [], line: index + 1 });
    else current?.rest.push(line);
  }
  return sections;
}

/** The value as one text: the lines of a block scalar, or the first line and its continuation. */
function joinedText(section: Section): string {
  const first = section.value.trim();
  const isBlock = /^[|>][-+]?\d?$/.test(first);
  const rest = isBlock ? section.rest : section.rest.filter((line) => !line.trimStart().startsWith('#'));
  return (isBlock ? rest : [first, ...rest])
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(first.startsWith('|') ? '\n' : ' ');
}

function unquote(text: string): string {
  const quote = text[0];
  const isQuoted = text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return isQuoted ? text.slice(1, -1) : text;
}

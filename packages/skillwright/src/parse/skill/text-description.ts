import { SPEC_LIMITS } from '../../spec/limits.ts';

/** A description found in a markdown text, for files whose frontmatter has none. */
export interface TextDescription {
  /** The description on one line, cut to the allowed length. */
  readonly text: string;
  readonly from: 'label' | 'paragraph';
}

/** The value of a `description:` line, or else the first paragraph; `undefined` for a text without either. */
export function describeText(markdown: string): TextDescription | undefined {
  const lines = markdown.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '').split('\n');
  const labelled = labelledDescription(lines);
  if (labelled !== undefined) return { text: cut(labelled), from: 'label' };
  const paragraph = firstParagraph(lines);
  return paragraph === undefined ? undefined : { text: cut(paragraph), from: 'paragraph' };
}

const LABEL =
  /^(?:[-*+>][ \t]{1,8})?["'`*_]{0,3}description["'`*_]{0,3}[ \t]?[:：]["'`*_]{0,3}(?:[ \t]+(?<value>\S.*)?)?$/i;
/** Matches the next labelled line, such as `version: 1` or `- **Version**: 1`, which ends the value before it. */
const NEXT_LABEL = /^(?:[-*+>][ \t]{1,8})?["'`*_]{0,3}[a-z][\w -]{0,40}["'`*_]{0,3}[ \t]?[:：]/i;
const LIST_ITEM = /^(?:[-*+]|\d{1,3}[.)])[ \t]/;
const HEADING = /^#{1,6}(?=\s)/;
const METADATA = /^(?:skill )?(?:metadata|frontmatter):?$/i;
const FENCE = /^(?:```+|~~~+)/;
const RULE = /^(?:-{3,}|={3,}|\*{3,}|_{3,})$/;

/**
 * The value of a `description:` line above the first section, or in a section called Metadata: some authors write such
 * lines instead of frontmatter, or put the frontmatter into a code block at the top.
 */
function labelledDescription(lines: readonly string[]): string | undefined {
  let isSought = true;
  let isFenced = false;
  let isBegun = false;
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    const title = isFenced ? undefined : headingText(line);
    if (FENCE.test(line)) {
      isFenced = !isFenced;
      // Stop looking here, because a later code block is an example.
      if (isBegun) isSought = false;
      isBegun = true;
    } else if (title !== undefined) isSought = METADATA.test(title) || (line.startsWith('# ') && !isBegun);
    else if (line !== '' && !RULE.test(line)) {
      const label = isSought ? LABEL.exec(line) : null;
      const value = label === null ? '' : valueFrom(label.groups?.['value'] ?? '', lines, index);
      if (value !== '') return value;
      isBegun = true;
    }
  }
  return undefined;
}

/** The value on the line at `index`, with the lines that continue it. */
function valueFrom(first: string, lines: readonly string[], index: number): string {
  const parts = /^[|>][-+]?$/.test(first) ? [] : [first];
  const indent = indentOf(lines[index] ?? '');
  for (let next = index + 1; next < lines.length; next += 1) {
    const raw = lines[next] ?? '';
    const line = raw.trim();
    if (line === '' || HEADING.test(line) || FENCE.test(line) || RULE.test(line)) break;
    if (indentOf(raw) <= indent && (LIST_ITEM.test(line) || NEXT_LABEL.test(line))) break;
    parts.push(line);
  }
  return unquoted(parts.join(' ').trim());
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function unquoted(text: string): string {
  const quote = text[0];
  const isQuoted = text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return isQuoted ? text.slice(1, -1).trim() : text;
}

/** The first paragraph of prose; falls back to a heading, then to a line of code. */
function firstParagraph(lines: readonly string[]): string | undefined {
  let heading: string | undefined;
  let fence: string | undefined;
  let code: string | undefined;
  let isMetadata = false;
  const paragraph: string[] = [];
  for (const raw of lines) {
    const line = raw.trim();
    const mark = FENCE.exec(line)?.[0].slice(0, 3);
    if (fence !== undefined || mark !== undefined) {
      if (paragraph.length > 0) break;
      if (mark === undefined && line !== '') code ??= line;
      fence = fence === undefined ? mark : mark === fence ? undefined : fence;
      continue;
    }
    const title = headingText(line);
    if (title !== undefined) isMetadata = METADATA.test(title);
    const isFact = isMetadata && (LIST_ITEM.test(line) || NEXT_LABEL.test(line));
    const isProse = line !== '' && title === undefined && !isFact && !RULE.test(line);
    if (isProse) paragraph.push(line);
    else if (paragraph.length > 0) break;
    heading ??= title === '' ? undefined : title;
  }
  return paragraph.length > 0 ? paragraph.join(' ') : (heading ?? code);
}

/** The text of a heading, without the marks before and after it; `undefined` for other lines. */
function headingText(line: string): string | undefined {
  const marks = HEADING.exec(line)?.[0];
  if (marks === undefined) return undefined;
  let end = line.length;
  while (end > marks.length && line[end - 1] === '#') end -= 1;
  return line.slice(marks.length, end).trim();
}

function cut(text: string): string {
  return text.length <= SPEC_LIMITS.description
    ? text
    : `${text
        .slice(0, SPEC_LIMITS.description - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

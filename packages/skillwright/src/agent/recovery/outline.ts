/** A heading of a markdown text. */
export interface MarkdownHeading {
  /** The line of the heading, from 0. */
  readonly line: number;
  /** The heading's level, from 1 to 6. */
  readonly level: number;
  readonly title: string;
}

/** A fenced block of a markdown text. */
export interface MarkdownFence {
  /**
   * The line numbers of the block's opening and closing marks. If the block is not closed, `end` is past the last line.
   */
  readonly start: number;
  readonly end: number;
  /** The first word after the opening mark, in lower case. */
  readonly language: string;
  readonly text: string;
}

export interface MarkdownOutline {
  readonly lines: readonly string[];
  readonly headings: readonly MarkdownHeading[];
  readonly fences: readonly MarkdownFence[];
}

/** How many characters of a heading are read. */
const MAX_TITLE = 200;
/** How many headings of one text are read. */
const MAX_HEADINGS = 2_000;
/** How many outlines are cached. */
const MAX_KEPT = 16;

/** Caches the latest outlines, because every failed call reads the same skills again. */
export function createOutlines(): (text: string) => MarkdownOutline {
  const kept = new Map<string, MarkdownOutline>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const outline = outlineMarkdown(text);
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(text, outline);
    return outline;
  };
}

/** Finds the headings and code blocks of a markdown text: a `#` inside a fence is not a heading. */
export function outlineMarkdown(text: string): MarkdownOutline {
  const lines = text.split(/\r?\n/);
  const headings: MarkdownHeading[] = [];
  const fences: MarkdownFence[] = [];
  let open: { readonly mark: string; readonly start: number; readonly language: string } | undefined;
  const close = (end: number): void => {
    if (open === undefined) return;
    const { start, language } = open;
    fences.push({ start, end, language, text: lines.slice(start + 1, end).join('\n') });
    open = undefined;
  };
  for (const [line, content] of lines.entries()) {
    const [, mark, info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(content) ?? [];
    if (open !== undefined) {
      if (mark?.startsWith(open.mark) === true && info.trim() === '') close(line);
    } else if (mark !== undefined) {
      open = { mark, start: line, language: info.trim().split(/\s/, 1)[0]?.toLowerCase() ?? '' };
    } else if (headings.length < MAX_HEADINGS) {
      const [, marks, title] = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(content) ?? [];
      if (marks !== undefined)
        headings.push({ line, level: marks.length, title: (title ?? '').slice(0, MAX_TITLE).trim() });
    }
  }
  close(lines.length);
  return { lines, headings, fences };
}

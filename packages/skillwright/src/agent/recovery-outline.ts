/** A heading of a markdown text. */
export interface MarkdownHeading {
  /** Its line, from 0. */
  readonly line: number;
  /** 1 to 6. */
  readonly level: number;
  readonly title: string;
}

/** A fenced block of a markdown text. */
export interface MarkdownFence {
  /** The lines of its two marks; the end is past the last line where the block is not closed. */
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

/** Of a heading, what is looked at. */
const MAX_TITLE = 200;

/** What is a heading and what is code in a markdown text: a `#` inside a fence is no heading. */
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
    } else {
      const [, marks, title] = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(content) ?? [];
      if (marks !== undefined)
        headings.push({ line, level: marks.length, title: (title ?? '').slice(0, MAX_TITLE).trim() });
    }
  }
  close(lines.length);
  return { lines, headings, fences };
}

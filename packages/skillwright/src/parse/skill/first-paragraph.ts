import { SPEC_LIMITS } from '../../spec/limits.ts';

/**
 * The first paragraph of prose in a markdown text, on one line and no longer than a description may be; a heading
 * where there is no prose, a line of code where there is no heading, `undefined` where there is nothing.
 */
export function firstParagraph(markdown: string): string | undefined {
  const lines = markdown.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '').split('\n');
  let heading: string | undefined;
  let fence: string | undefined;
  let code: string | undefined;
  const paragraph: string[] = [];
  for (const raw of lines) {
    const line = raw.trim();
    const mark = /^(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3);
    if (fence !== undefined || mark !== undefined) {
      if (paragraph.length > 0) break;
      if (mark === undefined && line !== '') code ??= line;
      fence = fence === undefined ? mark : mark === fence ? undefined : fence;
      continue;
    }
    const title = headingText(line);
    const isProse = line !== '' && title === undefined && !/^(?:-{3,}|={3,}|\*{3,}|_{3,})$/.test(line);
    if (isProse) paragraph.push(line);
    else if (paragraph.length > 0) break;
    heading ??= title === '' ? undefined : title;
  }
  const text = paragraph.length > 0 ? paragraph.join(' ') : (heading ?? code);
  return text === undefined ? undefined : cut(text);
}

/** The text of a heading, without the marks before and after it; `undefined` for other lines. */
function headingText(line: string): string | undefined {
  const marks = /^#{1,6}(?=\s)/.exec(line)?.[0];
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

import { inPlaceOf, type Passage } from './passage.ts';

const FENCE = /^\s{0,3}(`{3,}|~{3,})(.*)$/;
/** Headings, list items, table rows and quotes each begin a new passage. */
const BEGINNING = /^\s*(?:#{1,6} |[-*+] |\d+[.)] |\||>|<!--)/;

/**
 * Paragraphs, headings, list items and table rows of a markdown file. Code blocks are left out, and inline code counts as a word.
 */
export function markdownPassages(source: string): Passage[] {
  const passages: Passage[] = [];
  let open: { line: number; lines: string[] } | undefined;
  let fence: string | undefined;
  const close = (): void => {
    if (open !== undefined) passages.push({ kind: 'prose', line: open.line, text: plainText(open.lines.join('\n')) });
    open = undefined;
  };
  for (const [index, line] of withoutFrontmatter(source).entries()) {
    const [, mark, info = ''] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && info.trim() === '') fence = undefined;
    } else if (mark !== undefined) {
      close();
      fence = mark;
    } else if (line.trim() === '') close();
    else if (open === undefined || BEGINNING.test(line)) {
      close();
      open = { line: index + 1, lines: [line] };
    } else open.lines.push(line);
  }
  close();
  return passages;
}

/** The lines of a file with the frontmatter's lines emptied, because they are data. */
function withoutFrontmatter(source: string): string[] {
  const lines = source.split(/\r?\n/);
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  return lines.map((line, index) => (index <= end ? '' : line));
}

/** Text without code, link targets and emphasis. */
function plainText(text: string): string {
  return text
    .replaceAll(/(`+)(?:(?!\1)[\s\S])*?\1/g, (code) => inPlaceOf(code, 'code'))
    .replaceAll(/\]\([^)\s]*\)/g, ']')
    .replaceAll(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, '');
}

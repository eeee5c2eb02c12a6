/** Ends a line that is a sentence of its own. */
const LINE_END = '\u2029';

/** Fenced blocks become a space, closed or not. */
export function withoutCodeBlocks(text: string): string {
  let fence: string | undefined;
  return text
    .split('\n')
    .map((line) => {
      const [, mark] = /^\s{0,3}(`{3,}|~{3,})/.exec(line) ?? [];
      if (fence === undefined) {
        fence = mark;
        return mark === undefined ? line : ' ';
      }
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
      return ' ';
    })
    .join('\n');
}

/** Between as many backticks as there were before it. */
const CODE = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g;

/** Keeps the length of the text. */
export function withoutInlineCode(text: string): string {
  return text.replaceAll(CODE, (code) => ' '.repeat(code.length));
}

/** Joins lines, except those that begin a sentence or an item. Code of several words is left out: a name alone is often written as code. */
export function toProse(text: string): string {
  return text
    .replaceAll(CODE, (code) => (/\s/.test(code) ? ' '.repeat(code.length) : code))
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n(?= ?(?:$|\n|[-*•>#]|\d+[.)]|\p{Lu}))/gu, LINE_END)
    .replaceAll(/[ \n]+/g, ' ');
}

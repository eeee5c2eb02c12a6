const NO_WIDTH = /[\p{M}\p{Default_Ignorable_Code_Point}]/u;
const TWO_CELLS =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u;
const PLAIN = /^[ -~]*$/;

/**
 * The number of terminal cells that a text takes: two for East Asian characters and emoji, none for combining marks.
 */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text cut to a width. A cut text ends with `…`. */
export function cutText(text: string, width: number): string {
  if (text.length <= width && PLAIN.test(text)) return text;
  let used = 0;
  let end = 0;
  let endWithDots = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) return `${text.slice(0, endWithDots).trimEnd()}…`;
    end += character.length;
    if (used < width) endWithDots = end;
  }
  return text;
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Wraps text at spaces. A word that is wider than a line is split. The first line may be narrower than the others. */
export function wrapText(text: string, width: number, firstWidth: number = width): string[] {
  const room = Math.max(8, width);
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(/ +/).flatMap((long) => splitWord(long, room))) {
    const size = textWidth(word);
    if (line !== '' && used + 1 + size > (lines.length === 0 ? Math.min(room, firstWidth) : room)) {
      lines.push(line);
      line = '';
      used = 0;
    }
    used += size + (line === '' ? 0 : 1);
    line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines;
}

function splitWord(word: string, width: number): string[] {
  if (textWidth(word) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const character of word) {
    const size = characterWidth(character);
    if (used + size > width) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += size;
  }
  return [...parts, part];
}

function characterWidth(character: string): number {
  if (PLAIN.test(character)) return 1;
  if (NO_WIDTH.test(character)) return 0;
  return TWO_CELLS.test(character) ? 2 : 1;
}

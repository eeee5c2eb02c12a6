const BLANKS = ' \t\n\r\v\f';
const PLAIN = /[^ \t\n\r\v\f'"\\]+/y;

/**
 * Splits text into words like a POSIX shell, without expanding anything. Single quotes keep everything literally. In
 * double quotes, a backslash escapes `"`, `\`, `$`, a backtick and a line end; outside quotes, it escapes any
 * character. A quote that is never closed has no special meaning: it and the rest of the text are taken literally.
 */
export function splitShellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let position = 0;
  while (position < text.length) {
    const character = text.charAt(position);
    if (BLANKS.includes(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      position += 1;
      continue;
    }
    const piece = readPiece(text, position);
    word = (word ?? '') + piece.value;
    position = piece.end;
  }
  if (word !== undefined) words.push(word);
  return words;
}

interface Piece {
  readonly value: string;
  readonly end: number;
}

function readPiece(text: string, start: number): Piece {
  switch (text.charAt(start)) {
    case "'": {
      const end = text.indexOf("'", start + 1);
      return end < 0 ? rest(text, start) : { value: text.slice(start + 1, end), end: end + 1 };
    }
    case '"':
      return readDoubleQuoted(text, start);
    case '\\': {
      const escaped = text.charAt(start + 1);
      // A backslash at the very end escapes nothing, and a backslash before a line end joins the lines.
      if (escaped === '') return rest(text, start);
      return { value: escaped === '\n' ? '' : escaped, end: start + 2 };
    }
    default: {
      PLAIN.lastIndex = start;
      const value = PLAIN.exec(text)?.[0] ?? text.charAt(start);
      return { value, end: start + value.length };
    }
  }
}

function readDoubleQuoted(text: string, start: number): Piece {
  const parts: string[] = [];
  let from = start + 1;
  for (let position = from; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (character === '"') return { value: parts.join('') + text.slice(from, position), end: position + 1 };
    if (character !== '\\' || !'"\\$`\n'.includes(text.charAt(position + 1))) continue;
    parts.push(text.slice(from, position));
    from = text.charAt(position + 1) === '\n' ? position + 2 : position + 1;
    position += 1;
  }
  return rest(text, start);
}

function rest(text: string, start: number): Piece {
  return { value: text.slice(start), end: text.length };
}

/** Joins words so that a shell splits them again in the same way: words with spaces or quotes are quoted. */
export function joinWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[^\s'"\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`))
    .join(' ');
}

/** A text split into quoted passages, blocks, and the words around them. */
export interface Passages {
  readonly outside: string;
  readonly quoted: readonly string[];
  /** Fenced blocks; if there are no passages at all, the text after a colon or after the first paragraph. */
  readonly blocks: readonly string[];
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '„': '“',
  '«': '»',
  '`': '`',
  "'": "'",
  '‘': '’',
};
const FENCE = '```';
/** The most passages that are split off; the rest counts as words. */
const MAX_PASSAGES = 200;
const AFTER_COLON = /:[ \t]*\n|: +(?=\S)/;
const BLANK_LINE = /\r?\n[ \t]*\r?\n/;
const END_OF_SENTENCE = /[.?!][ \t]*\r?\n/;

/** Takes linear time for any text. A passage that `isWord` accepts counts as a word, quoted or not. */
export function splitPassages(text: string, isWord: (passage: string) => boolean): Passages {
  return splitQuotes(text, isWord) ?? splitAtColon(text);
}

/**
 * Splits off a request in the first paragraph, with everything after it as one block: colons and quotes in a text after
 * its request belong to the text. `undefined` if the message does not have this form.
 */
export function splitParagraph(text: string, isWord: (passage: string) => boolean): Passages | undefined {
  const trimmed = text.trimStart();
  const blank = BLANK_LINE.exec(trimmed);
  const found = blank ?? lineBeforeColon(trimmed, isWord);
  if (found === null) return undefined;
  const request = trimmed
    .slice(0, found.index + (blank === null ? 1 : 0))
    .trimEnd()
    .replace(/:$/, '');
  const block = trimmed.slice(found.index + found[0].length);
  const own = splitQuotes(request, isWord) ?? splitAtColon(request);
  const isGiven = own.quoted.length > 0 || own.blocks.length > 0;
  const isQuoted = block.startsWith(FENCE) || splitQuotes(block, isWord)?.outside.trim() === '';
  return isGiven || isQuoted || block.trim() === '' ? undefined : { outside: request, quoted: [], blocks: [block] };
}

/** The end of the first sentence that is followed by a line break, if a colon comes later and nothing is quoted. */
function lineBeforeColon(text: string, isWord: (passage: string) => boolean): RegExpExecArray | null {
  const found = END_OF_SENTENCE.exec(text);
  const colon = AFTER_COLON.exec(text);
  const isBefore = found !== null && colon !== null && found.index < colon.index;
  return isBefore && splitQuotes(text, isWord) === undefined ? found : null;
}

function splitQuotes(text: string, isWord: (passage: string) => boolean): Passages | undefined {
  const outside: string[] = [];
  const quoted: string[] = [];
  const blocks: string[] = [];
  /** Opening quotes without a closing mark in the rest of the text, so that later ones need no search. */
  const unclosed = new Set<string>();
  let from = 0;
  for (let position = 0; position < text.length && outside.length < MAX_PASSAGES; position += 1) {
    const opening = openingAt(text, position);
    if (opening === undefined || unclosed.has(opening)) continue;
    const start = position + opening.length;
    const end = closingOf(text, start, opening);
    if (end === -1) {
      unclosed.add(opening);
      continue;
    }
    outside.push(text.slice(from, position));
    const passage = text.slice(start, end);
    if (opening === FENCE) blocks.push(passage.replace(/^[^\n]*\n/, ''));
    else if (isWord(passage)) outside.push(passage);
    else quoted.push(passage);
    from = end + (opening === FENCE ? FENCE.length : 1);
    position = from - 1;
  }
  outside.push(text.slice(from));
  return outside.length > 1 ? { outside: outside.join(' '), quoted, blocks } : undefined;
}

function openingAt(text: string, position: number): string | undefined {
  const character = text.charAt(position);
  if (CLOSING[character] === undefined) return undefined;
  if (text.startsWith(FENCE, position)) return FENCE;
  // An apostrophe within a word does not open a quote.
  const isApostrophe = character === "'" && /[\p{L}\p{N}]/u.test(text.charAt(position - 1));
  return isApostrophe ? undefined : character;
}

function closingOf(text: string, start: number, opening: string): number {
  if (opening === FENCE) return text.indexOf(FENCE, start);
  const closing = CLOSING[opening] ?? opening;
  let end = text.indexOf(closing, start);
  while (end !== -1 && opening === "'" && /[\p{L}\p{N}]/u.test(text.charAt(end + 1)))
    end = text.indexOf(closing, end + 1);
  return end;
}

function splitAtColon(text: string): Passages {
  const found = AFTER_COLON.exec(text);
  const block = found === null ? '' : text.slice(found.index + found[0].length);
  if (found === null || block.trim() === '') return { outside: text, quoted: [], blocks: [] };
  return { outside: text.slice(0, found.index), quoted: [], blocks: [block] };
}

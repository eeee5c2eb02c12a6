/** Words that say nothing about what a text is about. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  `a an and any are as at be been but by can cannot could did do does for from had has have how if in into is it its
  me more must my no nor not of on only or our please should so some such than that the their them then there these they
  this to up use used uses using was we were what when where which while who why will with without would you your`.split(
    /\s+/,
  ),
);

const MAX_WORDS = 1_000;
/** How many words that stand together are also read as one: `FileSystem` is `filesystem`, too. */
const MAX_RUN = 4;

/** The words of a text in lower case, identifiers split: `listFiles`, `list_files` and `list-files` are two words. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [identifier] of text.normalize('NFKC').matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    for (const word of splitIdentifier(identifier)) {
      words.push(word.toLowerCase());
      if (words.length === MAX_WORDS) return words;
    }
  }
  return words;
}

/** The words that mean something, each once. */
export function keywordsOf(text: string): Set<string> {
  return new Set(wordsOf(text).filter((word) => isMeaningful(word)));
}

/** Every word, and every few words that stand together, as one. */
export function runsOf(words: readonly string[]): Set<string> {
  const runs = new Set<string>();
  for (let start = 0; start < words.length; start += 1) {
    let run = '';
    for (let end = start; end < Math.min(words.length, start + MAX_RUN); end += 1) {
      run += words[end] ?? '';
      runs.add(run);
    }
  }
  return runs;
}

function isMeaningful(word: string): boolean {
  return (word.length > 1 || /[^\0-\x7f]/.test(word)) && !EMPTY_WORDS.has(word);
}

/** `HTTPServerName` is HTTP, Server and Name. */
function splitIdentifier(identifier: string): string[] {
  if (!/\p{Lu}/u.test(identifier)) return [identifier];
  return identifier.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

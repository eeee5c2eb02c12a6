/** Only this much of a text is read: the shown part is far shorter. */
const MAX_READ = 8_192;

/** Control characters, and characters that are invisible or turn the direction of text. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
/** Some scripts and emoji need joiners; beside ASCII they only hide something. */
const IDLE_JOINER = /(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])/gu;
const PLAIN_TEXT = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
const SPACE = /[\s\u0085]+/gu;

/** `<`, and what looks like it or becomes it when text is normalized: fullwidth, small, and three other brackets. */
const OPENING = '<\uff1c\ufe64\u02c2\u1438\u276e\u27e8\u2329';
const CLOSING = '>\uff1e\ufe65\u02c3\u1433\u276f\u27e9\u232a';
const ANGLE = new RegExp(`[${OPENING}${CLOSING}]`, 'gu');
/** `[INST]`, `[/INST]`, `[TOOL_CALLS]`, `[gMASK]`: tokens of chat templates. A word of text in brackets does not count. */
const BRACKET_TOKEN = /[[\uff3b](\/?[A-Za-z]*[A-Z]{2}[A-Z0-9_]*)[\]\uff3d]/gu;
const TAG_START = new RegExp(`[${OPENING}]\\p{M}*[/!?|\\uff5c\\p{L}_]`, 'u');
/** Invisible characters, except the white space of text in several lines. */
const HIDDEN = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** A text on one line, without what cannot be seen. */
export function oneLine(text: string): string {
  const read = text.length > MAX_READ ? text.slice(0, MAX_READ) : text;
  if (PLAIN_TEXT.test(read)) return read;
  return read
    .replaceAll(SPACE, ' ')
    .replaceAll(INVISIBLE, '')
    .replaceAll(IDLE_JOINER, '')
    .replaceAll(/ +/g, ' ')
    .trim();
}

/**
 * A text of a stranger on one line, without anything that a model or its chat template can take for markup: `‹` and `›`
 * stand for angle brackets, so that `a < b` and `List<T>` stay readable. An entity such as `&lt;` would not do: it is
 * four characters of noise to people, and some clients turn it back into what it stands for.
 */
export function escapedLine(text: string): string {
  return escapeMarkup(oneLine(text));
}

/** Whether a value of a stranger, which must be shown as it is or not at all, is free of markup. */
export function isFreeOfMarkup(text: string): boolean {
  return !HIDDEN.test(text) && !TAG_START.test(text) && text.search(BRACKET_TOKEN) === -1;
}

function escapeMarkup(text: string): string {
  let open = 0;
  const angles = text.replaceAll(ANGLE, (found, index: number) => {
    if (OPENING.includes(found)) {
      open += 1;
      return '‹';
    }
    // An arrow closes nothing, and neither does a `>` that nothing opened.
    if (open === 0 || /[-=]/.test(text.charAt(index - 1))) return '>';
    open -= 1;
    return '›';
  });
  return angles.replaceAll(BRACKET_TOKEN, '($1)');
}

/** How far back a refusal may stand. */
const LONGEST_CLAUSE = 160;
const SENTENCE_END = /[.;:!?\n\u2029](?=\s|$)/g;
const NEGATION =
  /\b(?:not|never|without|avoid|stop|cannot|dont|nor|neither|instead of|rather than|no need to)\b|n['’]t\b/giu;
/** The negation is that of a condition or a reason: "if it does not open, …". */
const CONDITION = /\b(?:if|when|whenever|since|because|unless|although|in case)\b[^,]*$/iu;
const SUGGESTION = /\bwhy\s*$/iu;
/** Between the negation and the name another thought begins. */
const TURN = /\b(?:but|then|so|instead,|and (?:i|you|we|please|let['’]s))\b/iu;
/** A comma, and then at once what is wanted. */
const NEW_CLAUSE =
  /^[^,].*,\s*(?:(?:please|just|so|and|but|rather|instead|maybe|you (?:can|could|may|should)|let['’]s) )*$/isu;

/** Whether anything in a text could refuse: most say nothing of the kind. */
export function mayRefuse(text: string): boolean {
  return /\b(?:not|never|without|avoid|stop|cannot|dont|nor|neither|instead|rather|no|skip|ignore)\b|n['’]t\b/i.test(
    text,
  );
}

/** Whether what stands at a place of a text is refused by what the sentence says before it. */
export function isRefused(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - LONGEST_CLAUSE), index);
  const sentence = before.slice((lastMatch(before, SENTENCE_END)?.index ?? -1) + 1);
  const negation = lastMatch(sentence, NEGATION);
  if (negation === undefined) return false;
  const left = sentence.slice(0, negation.index);
  const between = sentence.slice(negation.index + negation[0].length);
  if (SUGGESTION.test(left) || CONDITION.test(left)) return false;
  return !TURN.test(between) && !NEW_CLAUSE.test(between);
}

function lastMatch(text: string, pattern: RegExp): RegExpExecArray | undefined {
  return [...text.matchAll(pattern)].at(-1);
}

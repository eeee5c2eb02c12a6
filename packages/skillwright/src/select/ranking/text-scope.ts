/**
 * A clause that says what a skill is not for: "do not use this for …", "never trigger when …", "not intended for …".
 * It ends with its sentence.
 */
const EXCLUSION =
  /(?:\b(?:do\s+not|don['’]t|never|not)\s+(?:use|trigger|invoke|activate|apply)(?:\s+(?:it|this|this\s+skill|the\s+skill))?\s*(?:\s(?:for|when|if|to|on|with|as)\b|:)|\bnot\s+(?:(?:intended|meant|suitable|designed|appropriate)\s+)?for\b)[^.;!?\n#]*/gi;

/**
 * Names of the skills to use instead: in brackets, in code, as a command. They say nothing about the task. A bracket
 * without an end takes the rest, so that nothing is looked through twice.
 */
const POINTER = /\([^)]*\)?|\[\[[^\]]*(?:\]\]?)?|`[^`]*`|\/[a-z][a-z-]+/g;

const MAY_EXCLUDE = /\b(?:not|never|don['’]t)\s/i;

/** A text without its exclusions, and the exclusions. */
export interface ScopedText {
  readonly included: string;
  readonly excluded: string;
}

export function splitScope(text: string): ScopedText {
  if (!MAY_EXCLUDE.test(text)) return { included: text, excluded: '' };
  const excluded: string[] = [];
  const included = text.replaceAll(EXCLUSION, (clause) => {
    excluded.push(clause.replaceAll(POINTER, ' '));
    return ' . ';
  });
  return { included, excluded: excluded.join(' . ') };
}

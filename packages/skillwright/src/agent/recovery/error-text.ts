/** What a tool said is missing. */
export interface MissingInText {
  readonly name: string;
  /** It was said to be required, which is said of parameters only; "missing" is also said of files. */
  readonly isPlain: boolean;
}

/** An error may have any length; who refuses arguments says so at the start. */
const MAX_READ = 2_000;

const NAME = String.raw`["'\x60]?([A-Za-z_][\w-]{0,63})["'\x60]?`;
const KIND = '(?:parameter|argument|field|property|option|key)';
const REQUIRED_AFTER = new RegExp(
  String.raw`${NAME} (?:${KIND} )?(?:is|are|was) (?:a |an )?(?:required|mandatory)\b`,
  'gi',
);
const REQUIRED_BEFORE = new RegExp(
  String.raw`\b(?:missing|required)(?: \d+)?(?: required)?(?: positional| keyword-only)? ${KIND}s?:? ${NAME}`,
  'gi',
);
const MISSING = new RegExp(
  String.raw`${NAME} (?:${KIND} )?(?:is|was) (?:missing|undefined|empty|not (?:given|set|provided|specified))\b`,
  'gi',
);
const REFUSED_AFTER = new RegExp(
  String.raw`${NAME} (?:${KIND} )?(?:must (?:be|have|not)|should be|has to be|is (?:invalid|not (?:a |an )?(?:valid|allowed|supported)))\b`,
  'gi',
);
const REFUSED_BEFORE = new RegExp(
  String.raw`\b(?:invalid|bad|unsupported|unexpected)(?: value)?(?: for)?(?: the)?(?: ${KIND})?:? ${NAME}`,
  'gi',
);

/**
 * The parameters that an error of a tool says are missing, as in "path is required" or "missing required argument:
 * 'path'". Only words: whoever asks compares them with the tool's definition and with the call.
 */
export function missingInText(error: string): MissingInText[] {
  const plain = [...namesFound(error, REQUIRED_AFTER), ...namesFound(error, REQUIRED_BEFORE)];
  const found = [
    ...plain.map((name) => ({ name, isPlain: true })),
    ...namesFound(error, MISSING).map((name) => ({ name, isPlain: false })),
  ];
  return found.filter(({ name }, place) => found.findIndex((other) => other.name === name) === place);
}

/** The parameters that an error of a tool says it cannot take, as in "limit must be positive". */
export function refusedInText(error: string): string[] {
  return [...namesFound(error, REFUSED_AFTER), ...namesFound(error, REFUSED_BEFORE)];
}

function namesFound(error: string, pattern: RegExp): string[] {
  return [...error.slice(0, MAX_READ).matchAll(pattern)].map(([, name = '']) => name);
}

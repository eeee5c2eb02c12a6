/** Whether a path or name matches. Takes time proportional to pattern × path. */
type GlobMatcher = (path: string) => boolean;

/** One element of a pattern: a character, any character, any run, or a set. */
type Mark =
  | { readonly kind: 'character'; readonly value: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'run' }
  | { readonly kind: 'set'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** One step of a path pattern; `undefined` is `**`, which matches any number of steps. */
type Step = readonly Mark[] | undefined;

const MAX_PATTERN = 1_000;
/** The longest path on Linux. */
const MAX_PATH = 4_096;
const MAX_ALTERNATIVES = 64;
const MAX_STEPS = 200;

/**
 * Compiles a glob. `*` matches any run of characters but `/`, `**` any number of directories, `?` one character,
 * `[a-z]` and `[!a-z]` a set, `{a,b}` one of several texts, and `\` escapes the next character. A pattern without `/`
 * matches the last step of a path at any depth; a pattern that ends with `/` matches everything below. A pattern that
 * is too long or has too many alternatives matches nothing, and neither does a path that is too long.
 */
export function createGlobMatcher(pattern: string): GlobMatcher {
  return matcherOf(alternativesOf(pattern));
}

/** Every text that a pattern's braces expand to; empty if the pattern is too long or expands to too many texts. */
function alternativesOf(pattern: string): string[] {
  return pattern.length > MAX_PATTERN ? [] : expandBraces(pattern);
}

/** Matches if any of the patterns does. Braces in them are literal. */
function matcherOf(alternatives: readonly string[]): GlobMatcher {
  const compiled = alternatives.map(compile);
  return (path) => {
    if (path.length > MAX_PATH) return false;
    const steps = normalSteps(path);
    const last = steps.slice(-1);
    return compiled.some(({ isAnywhere, marks }) => matchSteps(marks, isAnywhere ? last : steps));
  };
}

/** Whether a text has any special meaning as a pattern. */
export function isGlob(text: string): boolean {
  return /[*?[\]{}\\]/.test(text);
}

/**
 * Normalizes a path: `./src\a.ts` and `src/b/../a.ts` are `src/a.ts`. A path that leads out of its start keeps its
 * `..`.
 */
function normalSteps(path: string): string[] {
  const steps: string[] = [];
  for (const step of path.replaceAll('\\', '/').split('/')) {
    if (step === '' || step === '.') continue;
    const before = steps.at(-1);
    if (step !== '..' || before === undefined || before === '..') steps.push(step);
    else steps.pop();
  }
  return steps.slice(0, MAX_STEPS);
}

function compile(pattern: string): { isAnywhere: boolean; marks: readonly Step[] } {
  const body = pattern.replace(/^(?:\.\/)+/, '');
  const steps = body.split('/').filter((step) => step !== '' && step !== '.');
  const marks = steps.map((step) => (step === '**' ? undefined : toMarks(step)));
  return { isAnywhere: !body.includes('/'), marks: body.endsWith('/') ? [...marks, undefined] : marks };
}

/** Every text that a pattern with `{a,b}` expands to; braces may be nested. Unbalanced braces are literal. */
function expandBraces(pattern: string): string[] {
  const queue = [pattern];
  const done: string[] = [];
  for (let text = queue.pop(); text !== undefined; text = queue.pop()) {
    const group = firstGroup(text);
    if (group === undefined) done.push(text);
    else for (const part of group.parts) queue.push(text.slice(0, group.start) + part + text.slice(group.end));
    if (done.length + queue.length > MAX_ALTERNATIVES) return [];
  }
  return done;
}

interface BraceGroup {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly string[];
}

/** The first closed group with a comma. Reads the text once. */
function firstGroup(text: string): BraceGroup | undefined {
  const open: { readonly start: number; readonly commas: number[] }[] = [];
  let first: BraceGroup | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '{') open.push({ start: at, commas: [] });
    else if (character === ',') open.at(-1)?.commas.push(at);
    else if (character === '}') {
      const closed = open.pop();
      if (closed === undefined || closed.commas.length === 0) continue;
      if (first === undefined || closed.start < first.start) first = toGroup(text, closed, at);
    }
    if (first !== undefined && open.length === 0) return first;
  }
  return first;
}

function toGroup(
  text: string,
  { start, commas }: { readonly start: number; readonly commas: readonly number[] },
  close: number,
): BraceGroup {
  const parts = [...commas, close].map((end, index) => text.slice((commas[index - 1] ?? start) + 1, end));
  return { start, end: close + 1, parts };
}

function toMarks(step: string): Mark[] {
  const characters = [...step];
  const marks: Mark[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const value = characters[at] ?? '';
    if (value === '*') {
      if (marks.at(-1)?.kind !== 'run') marks.push({ kind: 'run' });
    } else if (value === '?') marks.push({ kind: 'any' });
    else if (value === '\\' && at + 1 < characters.length) {
      at += 1;
      marks.push({ kind: 'character', value: characters[at] ?? '' });
    } else {
      const set = value === '[' ? readSet(characters, at) : undefined;
      marks.push(set?.mark ?? { kind: 'character', value });
      at = set?.end ?? at;
    }
  }
  return marks;
}

/** Reads `[a-z_]`; a `]` directly after the opening bracket is part of the set. Without an end it is not a set. */
function readSet(characters: readonly string[], start: number): { mark: Mark; end: number } | undefined {
  const negated = characters[start + 1] === '!' || characters[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const end = characters.indexOf(']', first + 1);
  if (end === -1) return undefined;
  const ranges: (readonly [string, string])[] = [];
  for (let at = first; at < end; at += 1) {
    const low = characters[at] ?? '';
    const isRange = characters[at + 1] === '-' && at + 2 < end;
    ranges.push([low, isRange ? (characters[at + 2] ?? low) : low]);
    if (isRange) at += 2;
  }
  return { mark: { kind: 'set', negated, ranges }, end };
}

/**
 * Compares the steps of a pattern and a path. On a mismatch, the last `**` takes one more step, so no combination is
 * tried twice.
 */
function matchSteps(marks: readonly Step[], steps: readonly string[]): boolean {
  return matchRuns(
    marks,
    steps,
    (mark) => mark === undefined,
    (mark, step) => mark !== undefined && matchMarks(mark, [...step]),
  );
}

function matchMarks(marks: readonly Mark[], characters: readonly string[]): boolean {
  return matchRuns(marks, characters, (mark) => mark.kind === 'run', matchesCharacter);
}

function matchesCharacter(mark: Mark, character: string): boolean {
  if (mark.kind === 'character') return mark.value === character;
  if (mark.kind !== 'set') return mark.kind === 'any';
  return mark.ranges.some(([low, high]) => low <= character && character <= high) !== mark.negated;
}

function matchRuns<M, I>(
  marks: readonly M[],
  items: readonly I[],
  isRun: (mark: M) => boolean,
  matches: (mark: M, item: I) => boolean,
): boolean {
  let mark = 0;
  let item = 0;
  let lastRun = -1;
  let resumeAt = 0;
  while (item < items.length) {
    if (mark < marks.length && isRun(marks[mark] as M)) {
      lastRun = mark;
      resumeAt = item;
      mark += 1;
    } else if (mark < marks.length && matches(marks[mark] as M, items[item] as I)) {
      mark += 1;
      item += 1;
    } else if (lastRun === -1) return false;
    else {
      resumeAt += 1;
      item = resumeAt;
      mark = lastRun + 1;
    }
  }
  return marks.slice(mark).every(isRun);
}

/** The compiled `paths` of one skill. */
export interface PathPatterns {
  readonly fits: GlobMatcher;
  /**
   * How many patterns at the end of the list are ignored, because the skill has too many patterns or they are too long.
   */
  readonly ignored: number;
}

const MAX_PATTERNS = 100;
/**
 * The most characters of all alternatives of all patterns together, because a path is compared with all of them for
 * every skill.
 */
const MAX_CHARACTERS = 8_192;

/** Compiles the patterns of a skill. Compiling and matching take bounded time, whatever the skill contains. */
export function createPathPatterns(patterns: readonly string[]): PathPatterns {
  const taken: string[] = [];
  let characters = 0;
  let count = 0;
  for (const pattern of patterns.slice(0, MAX_PATTERNS)) {
    const alternatives = alternativesOf(pattern);
    const expanded = alternatives.reduce((sum, { length }) => sum + length, 0);
    // Count at least the pattern itself: a pattern with too many alternatives expands to none, but still took time.
    characters += Math.max(pattern.length, expanded);
    if (characters > MAX_CHARACTERS) break;
    taken.push(...alternatives);
    count += 1;
  }
  return { fits: matcherOf(taken), ignored: patterns.length - count };
}

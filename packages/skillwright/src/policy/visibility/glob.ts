/** Whether a path or name fits. Takes time in proportion to pattern × path, whatever either says. */
type GlobMatcher = (path: string) => boolean;

/** One character of a pattern: itself, any, any run, or one of a set. */
type Mark =
  | { readonly kind: 'character'; readonly value: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'run' }
  | { readonly kind: 'set'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** One step of a path pattern; `undefined` is `**`, which stands for any number of steps. */
type Step = readonly Mark[] | undefined;

const MAX_PATTERN = 1_000;
/** Linux has no longer ones. */
const MAX_PATH = 4_096;
const MAX_ALTERNATIVES = 64;
const MAX_STEPS = 200;

/**
 * `*` is any run of characters but `/`, `**` any number of directories, `?` one character, `[a-z]` and `[!a-z]` one of a
 * set, `{a,b}` one of several texts, `\` makes the next character itself. A pattern without `/` fits the last step of a
 * path at any depth; one that ends in `/` fits everything below. A pattern that is too long or has too many
 * alternatives fits nothing, and nothing fits a path that is too long.
 */
export function createGlobMatcher(pattern: string): GlobMatcher {
  return matcherOf(alternativesOf(pattern));
}

/** Every text that the braces of a pattern stand for; none of a pattern that is too long or has too many. */
function alternativesOf(pattern: string): string[] {
  return pattern.length > MAX_PATTERN ? [] : expandBraces(pattern);
}

/** Fits what one of the patterns fits, in which braces mean themselves. */
function matcherOf(alternatives: readonly string[]): GlobMatcher {
  const compiled = alternatives.map(compile);
  return (path) => {
    if (path.length > MAX_PATH) return false;
    const steps = normalSteps(path);
    const last = steps.slice(-1);
    return compiled.some(({ isAnywhere, marks }) => matchSteps(marks, isAnywhere ? last : steps));
  };
}

/** Whether a text means anything else than itself as a pattern. */
export function isGlob(text: string): boolean {
  return /[*?[\]{}\\]/.test(text);
}

/** `./src\a.ts` is `src/a.ts`, and so is `src/b/../a.ts`. A path that leads out of its start keeps its `..`. */
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

/** Every text a pattern with `{a,b}` stands for; braces may be nested. Unbalanced ones mean themselves. */
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

/** The first group that is closed and has a comma. Reads the text once. */
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

/** `[a-z_]`; a `]` right after the bracket is one of the set. Without an end it is not a set. */
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

/** Steps against steps: on a mismatch the last `**` takes one step more, so nothing is tried twice in vain. */
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

/** The `paths` of one skill, ready to be asked. */
export interface PathPatterns {
  readonly fits: GlobMatcher;
  /** How many patterns at the end of the list are ignored because the skill has too many, or too long ones. */
  readonly ignored: number;
}

const MAX_PATTERNS = 100;
/** What all alternatives of all patterns may have together: what a path is compared with, one skill after the other. */
const MAX_CHARACTERS = 8_192;

/** Takes a bounded time to make, and to ask, whatever a skill writes. */
export function createPathPatterns(patterns: readonly string[]): PathPatterns {
  const taken: string[] = [];
  let characters = 0;
  let count = 0;
  for (const pattern of patterns.slice(0, MAX_PATTERNS)) {
    const alternatives = alternativesOf(pattern);
    const expanded = alternatives.reduce((sum, { length }) => sum + length, 0);
    // One that has too many alternatives has none, and took its time all the same.
    characters += Math.max(pattern.length, expanded);
    if (characters > MAX_CHARACTERS) break;
    taken.push(...alternatives);
    count += 1;
  }
  return { fits: matcherOf(taken), ignored: patterns.length - count };
}

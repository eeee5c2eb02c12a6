import { readPattern, type PatternTree } from './pattern-tree.ts';

const MAX_PATTERN = 2_000;
/** The most parts of a pattern, each counted as often as it is repeated. */
const MAX_PARTS = 4_000;
/** The most steps between places of one loop: the time to analyze a loop grows with the square of its steps. */
const MAX_STEPS = 400;
/** The most work for all patterns of a schema. It takes some tens of milliseconds of the main thread. */
const MAX_WORK = 300_000;
/** A counted repetition of more than this many copies is treated like an endless repetition. */
const MAX_COPIES = 4;
const TOO_LARGE = 'is too complex to be analyzed';
const EXPLODES =
  'can take exponential time, because it repeats something that matches in more than one way (such as a repetition inside a repetition)';

/** How much work the analysis of patterns may still take. */
export interface PatternBudget {
  left: number;
}

export function createPatternBudget(): PatternBudget {
  return { left: MAX_WORK };
}

/**
 * Why a regular expression must not be applied to arbitrary text, as the end of the sentence "The pattern …": because
 * matching can take exponential time. `undefined` if it is safe or not an expression. If in doubt, refuses the
 * expression. An accepted expression may still take time that grows with a power of the length. Expressions that exceed
 * the budget are refused, too.
 */
export function patternHazard(pattern: string, budget: PatternBudget = createPatternBudget()): string | undefined {
  if (pattern.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`;
  try {
    void new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
  const places = createPlaces(budget);
  places.add(readPattern(pattern));
  return places.hazard(pattern);
}

/** The places where a match of a part of a pattern can begin and end, and whether the match can be empty. */
interface Span {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly canBeEmpty: boolean;
}

const NOTHING: Span = { first: [], last: [], canBeEmpty: true };

/** Builds an automaton with one place for each character in the pattern, and the places that may follow each. */
function createPlaces(budget: PatternBudget): {
  add(tree: PatternTree): void;
  hazard(pattern: string): string | undefined;
} {
  const sources: string[] = [];
  const next: Set<number>[] = [];
  /** Pairs of places with more than one way to go from the first to the second. */
  const doubled: (readonly [number, number])[] = [];
  let isRunaway = false;
  let parts = 0;

  const join = (from: readonly number[], to: readonly number[]): void => {
    budget.left -= from.length * to.length;
    if (budget.left < 0) return;
    for (const one of from)
      for (const other of to)
        if (next[one]?.has(other) === true) doubled.push([one, other]);
        else next[one]?.add(other);
  };
  const follow = (before: Span, after: Span): Span => {
    join(before.last, after.first);
    return {
      first: before.canBeEmpty ? [...before.first, ...after.first] : before.first,
      last: after.canBeEmpty ? [...before.last, ...after.last] : after.last,
      canBeEmpty: before.canBeEmpty && after.canBeEmpty,
    };
  };
  const add = (tree: PatternTree): Span => {
    parts += 1;
    budget.left -= 1;
    if (parts > MAX_PARTS || budget.left < 0) return NOTHING;
    switch (tree.kind) {
      case 'atom': {
        const place = sources.push(tree.source) - 1;
        next.push(new Set());
        return { first: [place], last: [place], canBeEmpty: false };
      }
      case 'sequence':
        return tree.parts.reduce<Span>((before, part) => follow(before, add(part)), NOTHING);
      case 'choice': {
        const spans = tree.parts.map(add);
        return {
          first: spans.flatMap(({ first }) => first),
          last: spans.flatMap(({ last }) => last),
          canBeEmpty: spans.some(({ canBeEmpty }) => canBeEmpty),
        };
      }
      case 'look':
        add(tree.part);
        return NOTHING;
      case 'repeat':
        return repeat(tree);
    }
  };
  const repeat = ({ part, least, most }: PatternTree & { readonly kind: 'repeat' }): Span => {
    if (most === 0) return NOTHING;
    if (most <= MAX_COPIES || (most === least && isPlain(part))) {
      let span = NOTHING;
      for (let copy = 0; copy < Math.min(most, MAX_COPIES); copy += 1) {
        const own = add(part);
        span = follow(span, copy < least ? own : { ...own, canBeEmpty: true });
      }
      return span;
    }
    const span = add(part);
    if (span.canBeEmpty && most !== Infinity) isRunaway = true;
    join(span.last, span.first);
    return { ...span, canBeEmpty: span.canBeEmpty || least === 0 };
  };

  return {
    add: (tree) => void add(tree),
    hazard(pattern) {
      if (parts > MAX_PARTS || budget.left < 0) return TOO_LARGE;
      if (isRunaway) return EXPLODES;
      const loops = componentsOf(sources.length, (place) => [...(next[place] ?? [])]);
      const loopOf = new Map(loops.flatMap((loop, number) => loop.map((place) => [place, number] as const)));
      if (doubled.some(([from, to]) => loopOf.get(from) === loopOf.get(to))) return EXPLODES;
      const maskOf = createMasks(pattern, budget);
      for (const loop of loops) {
        const steps = stepsOn(loop, next);
        const count = steps.flat().length;
        // The analysis compares every step with every other step.
        budget.left -= count * count;
        if (count > MAX_STEPS || budget.left < 0) return TOO_LARGE;
        const masks = loop.map((place) => maskOf(sources[place] ?? ''));
        if (budget.left < 0) return TOO_LARGE;
        if (isAmbiguous(steps, masks)) return EXPLODES;
      }
      return undefined;
    },
  };
}

/** Whether a part of a pattern always matches the same length in the same way. */
function isPlain(tree: PatternTree): boolean {
  return tree.kind === 'atom' || (tree.kind === 'sequence' && tree.parts.every(isPlain));
}

/** For each place of a loop, the places of the same loop that may follow it, as indexes into `loop`. */
function stepsOn(loop: readonly number[], next: readonly ReadonlySet<number>[]): number[][] {
  const numbers = new Map(loop.map((place, number) => [place, number]));
  return loop.map((place) => [...(next[place] ?? [])].flatMap((other) => numbers.get(other) ?? []));
}

/**
 * Whether a text can lead from a place of a loop back to it in two ways: pairs of places that advance together and
 * differ in between.
 */
function isAmbiguous(steps: readonly (readonly number[])[], masks: readonly bigint[]): boolean {
  const size = steps.length;
  const pairs = componentsOf(size * size, (pair) => {
    const others = steps[pair % size] ?? [];
    return (steps[Math.floor(pair / size)] ?? []).flatMap((one) =>
      others.flatMap((other) => (((masks[one] ?? 0n) & (masks[other] ?? 0n)) === 0n ? [] : [one * size + other])),
    );
  });
  const isSame = (pair: number): boolean => Math.floor(pair / size) === pair % size;
  return pairs.some((component) => component.some(isSame) && !component.every(isSame));
}

/** One sample character of every kind that patterns distinguish. */
const SAMPLES = [
  ...Array.from({ length: 128 }, (_, code) => code),
  0xa0,
  0xe9,
  0xc9,
  0x3b1,
  0x391,
  0x430,
  0x660,
  0x301,
];
const MORE_SAMPLES = [0x2028, 0x200b, 0x2019, 0x4e2d, 0x3042, 0xac00, 0xd800, 0xfeff, 0x1f600, 0x10ffff];

/** Computes which sample characters a place matches: places without a common sample never match the same character. */
function createMasks(pattern: string, budget: PatternBudget): (source: string) => bigint {
  let samples: readonly string[] | undefined;
  const flags = /\(\?[a-z]*i[a-z-]*:/.test(pattern) ? 'iu' : 'u';
  const known = new Map<string, bigint>();
  const maskOf = (source: string): bigint => {
    samples ??= samplesFor(pattern);
    budget.left -= samples.length;
    if (budget.left < 0) return 0n;
    const test = new RegExp(`^(?:${source})$`, flags);
    return samples.reduce((mask, sample, bit) => (test.test(sample) ? mask | (1n << BigInt(bit)) : mask), 0n);
  };
  return (source) => {
    const mask = known.get(source) ?? maskOf(source);
    known.set(source, mask);
    return mask;
  };
}

/** Sample characters of every kind, and the characters next to those that the pattern contains. */
function samplesFor(pattern: string): readonly string[] {
  const written = [...pattern].map((character) => character.codePointAt(0) ?? 0);
  const escaped = [...pattern.matchAll(/\\(?:u\{?|x)([\da-f]+)/gi)].map(([, digits]) =>
    Number.parseInt(digits ?? '', 16),
  );
  const near = [...written, ...escaped].flatMap((code) => [code - 1, code, code + 1]);
  const codes = [...SAMPLES, ...MORE_SAMPLES, ...near].filter((code) => code >= 0 && code <= 0x10ffff);
  return [...new Set(codes)].map((code) => String.fromCodePoint(code));
}

/** The strongly connected components of a graph that contain a loop (Tarjan, without recursion). */
function componentsOf(count: number, stepsOf: (node: number) => readonly number[]): number[][] {
  const order = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const isOpen = new Uint8Array(count);
  const stack: number[] = [];
  const found: number[][] = [];
  let counter = 0;
  for (let root = 0; root < count; root += 1) {
    if (order[root] !== -1) continue;
    const work: { readonly node: number; readonly steps: readonly number[]; at: number }[] = [];
    const enter = (node: number): void => {
      order[node] = low[node] = counter++;
      stack.push(node);
      isOpen[node] = 1;
      work.push({ node, steps: stepsOf(node), at: 0 });
    };
    enter(root);
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      const { node, steps } = top;
      const step = steps[top.at++];
      if (step !== undefined) {
        if (order[step] === -1) enter(step);
        else if (isOpen[step] === 1) low[node] = Math.min(low[node] ?? 0, order[step] ?? 0);
        continue;
      }
      work.pop();
      const parent = work.at(-1)?.node;
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
      if (low[node] !== order[node]) continue;
      const component = stack.splice(stack.lastIndexOf(node));
      for (const one of component) isOpen[one] = 0;
      if (component.length > 1 || steps.includes(node)) found.push(component);
    }
  }
  return found;
}

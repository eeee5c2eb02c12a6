import { type Context, createContext, Script } from 'node:vm';
import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { schemaHazard } from '../../parse/hazard/schema-hazard.ts';

const CALL = new Script('work()', { filename: 'deadline' });
let context: (Context & { work?: (() => unknown) | undefined }) | undefined;

/** How often a check is tried if it runs out of time but got little of the processor, as on a busy machine. */
const MAX_TRIES = 5;

/** Checks a value against a schema, and returns its errors or why it cannot be checked. */
export type ValueCheck = (value: unknown) => { readonly errors: readonly OutputUnit[] } | { readonly problem: string };

/** Keywords whose cost is not simply proportional to the value's size. */
const COSTLY = /"(?:pattern|patternProperties|uniqueItems|\$ref|\$recursiveRef|\$dynamicRef|format)":/;
/**
 * Characters and members of a value, counted together. For a larger value, only the first finding of each kind is
 * reported.
 */
const LARGE = 50_000;
/**
 * A check takes only milliseconds if the schema has no costly keywords, and the number of its members times the number
 * of the value's members is at most this.
 */
const CHEAP = 500_000;
/** The longest time that a check may take. Nothing else runs in this thread meanwhile. */
const DEADLINE_MS = 100;

/**
 * Checks values against a schema in bounded time: regular expressions that can run away are rejected, and checks that
 * take too long are ended. After a schema ran out of time, it is applied only to values of half the size, so that
 * repeated calls cannot use up all the time.
 */
export function createValueCheck(schema: object): ValueCheck {
  const hazard = schemaHazard(schema);
  if (hazard !== undefined) return () => ({ problem: hazard });
  const cheapest = COSTLY.test(JSON.stringify(schema) ?? '') ? 0 : CHEAP / sizeOf(schema).members;
  const all = createValidator(schema, false);
  let first: Validator | undefined;
  let most = Infinity;
  return (value) => {
    const { size, members } = sizeOf(value);
    const validator = size <= LARGE ? all : (first ??= createValidator(schema, true));
    if (members <= cheapest) return { errors: validator.validate(value).errors };
    if (size > most) return { problem: 'values of this size take too long to check' };
    const done = withDeadline(() => validator.validate(value).errors, DEADLINE_MS);
    if (done !== undefined) return { errors: done.value };
    most = size / 2;
    return { problem: `checking took longer than ${DEADLINE_MS} ms` };
  };
}

function createValidator(schema: object, isShort: boolean): Validator {
  // The validator modifies the schema it is given.
  return new Validator(structuredClone(schema), '2020-12', isShort);
}

/** Counts a value's members, and its members and characters together. */
function sizeOf(value: unknown): { readonly size: number; readonly members: number } {
  const waiting: unknown[] = [value];
  let size = 0;
  let members = 0;
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    size += typeof next === 'string' ? next.length : 1;
    members += 1;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) for (const name of Object.keys(next)) size += name.length;
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return { size, members };
}

/**
 * Runs synchronous, repeatable work in this thread, and ends it if it takes too long, even inside a regular expression.
 * The overhead is some tenths of a millisecond. Returns `undefined` if the time ran out; rethrows the work's errors.
 */
function withDeadline<T>(work: () => T, timeoutMs: number): { readonly value: T } | undefined {
  context ??= createContext({});
  let result: { readonly value: T } | undefined;
  let failure: { readonly error: unknown } | undefined;
  context.work = () => {
    try {
      result = { value: work() };
    } catch (error) {
      failure = { error };
    }
  };
  const before = process.cpuUsage();
  try {
    for (let tries = 1; !endsInTime(context, timeoutMs); tries += 1) {
      const used = process.cpuUsage(before);
      if (tries === MAX_TRIES || (used.user + used.system) / 1_000 > timeoutMs / 2) return undefined;
    }
  } finally {
    context.work = undefined;
  }
  if (failure !== undefined) throw failure.error;
  return result;
}

function endsInTime(place: Context, timeout: number): boolean {
  try {
    CALL.runInContext(place, { timeout });
    return true;
  } catch {
    return false;
  }
}

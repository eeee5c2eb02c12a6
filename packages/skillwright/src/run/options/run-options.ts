import { SkillwrightError } from '../../spec/errors/error.ts';
import { unknownOption } from '../../parse/unknown-option.ts';

const KNOWN = [
  'signal',
  'timeout',
  'cwd',
  'caller',
  'session',
  'tenant',
  'stdin',
  'onOutput',
  'plugin',
  'approve',
  'executionId',
];
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A typing mistake must not lift a limit. */
export function assertRunOptions(options: object): void {
  const values = new Map<string, unknown>(Object.entries(options).filter(([, value]) => value !== undefined));
  for (const name of values.keys()) if (!KNOWN.includes(name)) throw invalid(name, unknownOption(name, KNOWN));
  const timeout = values.get('timeout');
  if (
    timeout !== undefined &&
    !(Number.isSafeInteger(timeout) && Number(timeout) > 0 && Number(timeout) <= MAX_TIMEOUT_MS)
  )
    throw invalid('timeout', `must be a whole number of milliseconds, not ${JSON.stringify(timeout)}`);
  for (const name of ['cwd', 'session', 'tenant', 'executionId'])
    if (values.has(name) && (typeof values.get(name) !== 'string' || String(values.get(name)).includes('\0')))
      throw invalid(name, 'must be a text');
  if (values.has('caller') && !['model', 'user'].includes(values.get('caller') as string))
    throw invalid('caller', "must be 'model' or 'user'");
  if (values.has('signal') && !(values.get('signal') instanceof AbortSignal))
    throw invalid('signal', 'must be an AbortSignal');
  for (const name of ['onOutput', 'approve'])
    if (values.has(name) && typeof values.get(name) !== 'function') throw invalid(name, 'must be a function');
}

function invalid(option: string, problem: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `Option '${option}' ${problem}.`, { data: { option } });
}

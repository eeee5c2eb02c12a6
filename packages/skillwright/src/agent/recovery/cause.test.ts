import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import type { ExecutionCode } from '../../spec/execution.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { findCause, type FailureCause } from './cause.ts';

const SEARCH: ToolDefinition = {
  name: 'search_files',
  description: 'Searches.',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      pattern: { type: 'string' },
      limit: { type: 'integer', minimum: 1 },
      mode: { type: ['string', 'null'], enum: ['text', 'regex', null] },
      options: { $ref: '#/$defs/options' },
    },
    required: ['path', 'pattern'],
    additionalProperties: false,
    $defs: { options: { type: 'object', properties: { deep: { type: 'boolean' } }, required: ['deep'] } },
  },
};
const LOOSE: ToolDefinition = {
  name: 'list_files',
  description: 'Lists.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } },
};
const OPEN: ToolDefinition = { name: 'open', description: '', inputSchema: { type: 'object', properties: {} } };

function causeOf(
  definition: ToolDefinition | undefined,
  args: unknown,
  error = 'It does not fit.',
  code: ExecutionCode | undefined = 'InvalidArguments',
): FailureCause {
  return findCause({ definition, arguments: args, error, code });
}

describe('by the definition of the tool', () => {
  it('parameters are missing', () => {
    proves('S3.dep.registry');
    expect(causeOf(SEARCH, { limit: 'x' })).toEqual({ kind: 'missing-parameter', parameters: ['path', 'pattern'] });
    expect(causeOf(SEARCH, '')).toMatchObject({ kind: 'missing-parameter' });
    expect(causeOf(SEARCH, '{"path":"."}')).toEqual({ kind: 'missing-parameter', parameters: ['pattern'] });
  });

  it.each([
    [{ limit: '5' }, ['limit'], "the 'limit' parameter must be of type integer"],
    [{ limit: 1.5 }, ['limit'], "the 'limit' parameter must be of type integer"],
    [{ mode: 'glob' }, ['mode'], `the 'mode' parameter must be one of "text", "regex", null`],
    [{ limit: 0 }, ['limit'], "the 'limit' parameter is not valid: It does not fit."],
    [{ options: {} }, ['options'], "the 'options' parameter is not valid: It does not fit."],
    [{ limits: 5 }, ['limits'], "it has no 'limits' parameter; did you mean 'limit'"],
    [{ zzzzzz: 5 }, ['zzzzzz'], "it has no 'zzzzzz' parameter"],
    [{ limit: 'x', mode: 7 }, ['limit', 'mode'], "the 'limit' parameter must be of type integer"],
  ])('%j is not valid', (more, parameters, problem) => {
    const args = { path: '.', pattern: 'x', ...more };
    expect(causeOf(SEARCH, args)).toEqual({ kind: 'invalid-parameter', parameters, problem });
  });

  it.each(['{"path": ', '[]', '"text"', 7, [1]])('arguments %j are unreadable', (args) => {
    expect(causeOf(SEARCH, args)).toEqual({ kind: 'unreadable-arguments' });
  });

  it('a tool is unknown', () => {
    expect(causeOf(undefined, {}, 'Not found.', 'ToolNotFound')).toEqual({ kind: 'unknown-tool' });
  });

  it.each<ExecutionCode>(['ExecutionTimeout', 'Cancelled', 'ToolRestricted', 'SkillNotFound', 'InvalidResult'])(
    'the arguments are not to blame for %s',
    (code) => expect(causeOf(SEARCH, {}, 'path is required', code)).toEqual({ kind: 'other' }),
  );

  it('nothing is known of a tool without a definition', () => {
    expect(causeOf(undefined, {}, 'path is required', 'ExecutionFailed')).toEqual({ kind: 'other' });
  });

  it('an argument named as a field of every object is one like others', () => {
    const args = JSON.parse('{"path":".","pattern":"x","__proto__":1,"constructor":2}') as object;
    expect(causeOf(SEARCH, args)).toMatchObject({
      kind: 'invalid-parameter',
      parameters: ['__proto__', 'constructor'],
    });
  });
});

describe('by the words of a tool that checks its arguments itself', () => {
  it.each([
    'path is required',
    "'path' is required",
    'Error: path is a required field',
    'The path parameter is required.',
    'Missing required parameter: path',
    "list() missing 1 required positional argument: 'path'",
    'path is missing',
    '`path` was not provided',
    'path is undefined',
  ])('%j: a parameter is missing', (error) => {
    expect(causeOf(LOOSE, {}, error, 'ExecutionFailed')).toEqual({ kind: 'missing-parameter', parameters: ['path'] });
  });

  it('an empty value is as good as none', () => {
    expect(causeOf(LOOSE, { path: '' }, 'path is required', 'ExecutionFailed').kind).toBe('missing-parameter');
  });

  it.each([
    'limit must be positive',
    "Invalid value for 'limit'",
    'The limit argument is not valid',
    'bad parameter: limit',
  ])('%j: a parameter is not valid', (error) => {
    expect(causeOf(LOOSE, { limit: -1 }, error, 'ExecutionFailed')).toEqual({
      kind: 'invalid-parameter',
      parameters: ['limit'],
      problem: `the 'limit' parameter is not valid: ${error}`,
    });
  });

  it.each([
    ['of a parameter that was given', { path: '.' }, 'path is required'],
    ['of something that is no parameter', {}, 'file is missing'],
    ['of nothing', {}, 'ENOENT: no such file or directory'],
    ['of a parameter that was not given', {}, 'limit must be positive'],
    ['without end', {}, `${'path '.repeat(100_000)}is required`],
  ])('words %s prove nothing', (_what, args, error) => {
    expect(causeOf(LOOSE, args, error, 'ExecutionFailed')).toEqual({ kind: 'other' });
  });

  it('a tool that declares no parameters may still say that it requires one', () => {
    expect(causeOf(OPEN, {}, 'path is required', 'ExecutionFailed').kind).toBe('missing-parameter');
    expect(causeOf(OPEN, {}, 'file is missing', 'ExecutionFailed')).toEqual({ kind: 'other' });
  });
});

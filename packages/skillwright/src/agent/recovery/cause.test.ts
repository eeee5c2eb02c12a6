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

describe("findCause, from the tool's definition", () => {
  it('reports missing parameters', () => {
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
  ])('reports that %j is not valid', (more, parameters, problem) => {
    const args = { path: '.', pattern: 'x', ...more };
    expect(causeOf(SEARCH, args)).toEqual({ kind: 'invalid-parameter', parameters, problem });
  });

  it.each(['{"path": ', '[]', '"text"', 7, [1]])('reports that the arguments %j are unreadable', (args) => {
    expect(causeOf(SEARCH, args)).toEqual({ kind: 'unreadable-arguments' });
  });

  it('reports an unknown tool', () => {
    expect(causeOf(undefined, {}, 'Not found.', 'ToolNotFound')).toEqual({ kind: 'unknown-tool' });
  });

  it.each<ExecutionCode>(['ExecutionTimeout', 'Cancelled', 'ToolRestricted', 'SkillNotFound', 'InvalidResult'])(
    'does not blame the arguments for %s',
    (code) => expect(causeOf(SEARCH, {}, 'path is required', code)).toEqual({ kind: 'other' }),
  );

  it('does not blame the arguments if the tool has no definition', () => {
    expect(causeOf(undefined, {}, 'path is required', 'ExecutionFailed')).toEqual({ kind: 'other' });
  });

  it('treats an argument named like a built-in object property like any other', () => {
    const args = JSON.parse('{"path":".","pattern":"x","__proto__":1,"constructor":2}') as object;
    expect(causeOf(SEARCH, args)).toMatchObject({
      kind: 'invalid-parameter',
      parameters: ['__proto__', 'constructor'],
    });
  });
});

describe('findCause, from the error text of a tool that checks its own arguments', () => {
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
  ])('reports a missing parameter for %j', (error) => {
    expect(causeOf(LOOSE, {}, error, 'ExecutionFailed')).toEqual({ kind: 'missing-parameter', parameters: ['path'] });
  });

  it('treats an empty value as missing', () => {
    expect(causeOf(LOOSE, { path: '' }, 'path is required', 'ExecutionFailed').kind).toBe('missing-parameter');
  });

  it.each([
    'limit must be positive',
    "Invalid value for 'limit'",
    'The limit argument is not valid',
    'bad parameter: limit',
  ])('reports an invalid parameter for %j', (error) => {
    expect(causeOf(LOOSE, { limit: -1 }, error, 'ExecutionFailed')).toEqual({
      kind: 'invalid-parameter',
      parameters: ['limit'],
      problem: `the 'limit' parameter is not valid: ${error}`,
    });
  });

  it.each([
    ['about a parameter that was given', { path: '.' }, 'path is required'],
    ['about something that is not a parameter', {}, 'file is missing'],
    ['about no parameter', {}, 'ENOENT: no such file or directory'],
    ['about a parameter that was not given', {}, 'limit must be positive'],
    ['of excessive length', {}, `${'path '.repeat(100_000)}is required`],
  ])('does not trust an error text %s', (_what, args, error) => {
    expect(causeOf(LOOSE, args, error, 'ExecutionFailed')).toEqual({ kind: 'other' });
  });

  it('trusts an error text about a required parameter if the tool declares no parameters', () => {
    expect(causeOf(OPEN, {}, 'path is required', 'ExecutionFailed').kind).toBe('missing-parameter');
    expect(causeOf(OPEN, {}, 'file is missing', 'ExecutionFailed')).toEqual({ kind: 'other' });
  });
});

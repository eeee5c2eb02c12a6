import { GATEWAY_ERROR_DATA, type GatewayErrorEntry } from '../spec/error-data.ts';
import type { ApiOperation, ApiParameter, ApiSchema } from './api-description.ts';
import { exampleOf } from './schema-example.ts';
import { fieldLine, fieldLines, phraseOf } from './schema-text.ts';

/** Codes that need not be told of each operation. */
export interface SharedFailures {
  readonly ofAll: ReadonlySet<string>;
  /** Of those with a body. */
  readonly ofBodies: ReadonlySet<string>;
}

/** Everything about one operation but the failures that it shares with all. */
export function operationBlocks(
  operation: ApiOperation,
  schemas: Readonly<Record<string, ApiSchema>>,
  shared: SharedFailures,
): string[] {
  const { method, path, summary, description, parameters, requestBody } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const known = body === undefined ? shared.ofAll : shared.ofBodies;
  const scopes = operation['x-scopes'].map((scope) => `\`${scope}\``).join(' or ');
  return [
    `### \`${method} ${path}\``,
    [summary, ...(description === undefined ? [] : [description])].join(' '),
    `Operation \`${operation.operationId}\`. Scope: ${scopes}.`,
    ...listBlock('In the address:', parameterLines(parameters, 'path')),
    ...listBlock('In the query:', parameterLines(parameters, 'query')),
    ...(body === undefined ? [] : listBlock('In the body:', fieldLines(body, 'sent'))),
    ['```sh', curlOf(operation, body === undefined ? undefined : exampleOf(body, schemas)), '```'].join('\n'),
    ...answerBlocks(operation),
    ...listBlock(
      'Fails with:',
      codesOf(operation)
        .filter((code) => !known.has(code))
        .map(failureLine),
    ),
  ];
}

/** What its failures can have as their `code`. */
export function codesOf({ responses }: ApiOperation): string[] {
  return Object.values(responses).flatMap((response) => response['x-codes'] ?? []);
}

/** `` - `UnknownSkill` (404): There is no such skill. `` */
export function failureLine(code: string): string {
  const entry = (GATEWAY_ERROR_DATA as Readonly<Record<string, GatewayErrorEntry>>)[code];
  return entry === undefined ? `- \`${code}\`` : `- \`${code}\` (${entry.status}): ${entry.title}.`;
}

function answerBlocks({ responses }: ApiOperation): string[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    if (response['x-codes'] !== undefined) return [];
    return Object.entries(response.content).flatMap(([type, { schema }]) => {
      const form = type === 'application/json' ? '' : ` (\`${type}\`)`;
      const lines = fieldLines(schema, 'read');
      const whole = lines.length === 0 && schema.$ref !== undefined ? ` It is ${phraseOf(schema)}.` : '';
      const text = `Answers ${status}${form}: ${response.description}${whole}`;
      return lines.length === 0 ? [text] : [text, lines.join('\n')];
    });
  });
}

function parameterLines(parameters: readonly ApiParameter[], place: ApiParameter['in']): string[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, required, description, schema }) =>
      fieldLine(name, description === undefined ? schema : { ...schema, description }, {
        side: 'sent',
        isRequired: required,
      }),
    );
}

function listBlock(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, lines.join('\n')];
}

function curlOf({ method, path, responses }: ApiOperation, body: unknown): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => `$${name.toUpperCase()}`);
  const streams = Object.values(responses).some(({ content }) => 'text/event-stream' in content);
  const words = [
    `curl -sS${streams ? 'N' : ''}${method === 'GET' ? '' : ` -X ${method}`} "$SKILLWRIGHT_URL${address}"`,
    '-H "Authorization: Bearer $SKILLWRIGHT_TOKEN"',
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`]),
  ];
  return words.join(' \\\n  ');
}

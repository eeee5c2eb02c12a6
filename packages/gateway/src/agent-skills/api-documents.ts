import { GATEWAY_ERROR_DATA, type GatewayErrorEntry } from '../spec/error-data.ts';
import type { AgentSkill } from './agent-skill.ts';
import {
  type ApiContent,
  type ApiDescription,
  type ApiOperation,
  type ApiParameter,
  type ApiSchema,
  operationsOf,
  referenceOf,
} from './api-description.ts';
import { fieldLine, fieldLines, phraseOf, referencesIn } from './schema-text.ts';
import { capitalized, toSkill } from './skill-document.ts';

type Schemas = Readonly<Record<string, ApiSchema>>;

/** The maximum nesting of an example. Objects below this level are left empty. */
const MAX_DEPTH = 8;

/** Error codes that are documented once, not for each operation. */
interface SharedFailures {
  readonly ofAll: ReadonlySet<string>;
  /** Codes shared by the operations that take a body. */
  readonly ofBodies: ReadonlySet<string>;
}

/** Makes one document for each group of the REST interface, with every operation in it. */
export function createApiDocuments(description: ApiDescription): AgentSkill[] {
  const operations = operationsOf(description);
  const areas = [...new Set(operations.map(({ area }) => area))];
  const failures = { ofAll: codesOfEach(operations), ofBodies: codesOfEach(operations.filter(hasBody)) };
  return areas.map((area) => {
    const here = operations.filter((operation) => operation.area === area);
    return toSkill({
      category: 'api',
      area,
      about: `Calls the REST API of a Skillwright gateway about ${area.replaceAll('-', ' ')}`,
      tasks: here.map(({ summary }) => summary),
      use: 'Use for any of these tasks on a gateway over HTTP, with curl or from a program.',
      compatibility: 'Needs a running Skillwright gateway, a key for it, and an HTTP client.',
      version: description.info.version,
      covers: here.map(({ operationId }) => operationId),
      body: [
        `# ${capitalized(area.replaceAll('-', ' '))}: the REST API of a Skillwright gateway`,
        ...HOW_TO_CALL,
        '## Calls',
        overview(here),
        ...here.flatMap((operation) => operationBlocks(operation, description.components.schemas, failures)),
        ...objectBlocks(here, description),
        '## Errors that every call can return',
        [...failures.ofAll].map(failureLine).join('\n'),
        ...(here.some(hasBody)
          ? [
              'Calls with a body can also return:',
              [...failures.ofBodies.difference(failures.ofAll)].map(failureLine).join('\n'),
            ]
          : []),
      ],
    });
  });
}

const HOW_TO_CALL = [
  '## How to call',
  [
    '- `$SKILLWRIGHT_URL` stands for the address of the gateway, such as `http://127.0.0.1:4747`, and `$SKILLWRIGHT_TOKEN` for one of its keys. Never print the key.',
    '- The key needs one of the scopes that a call names. Objects of other keys are reported as not found.',
    '- Request and response bodies are JSON unless a call says otherwise.',
    '- An error is `application/problem+json`. Check its `code`; `detail` says what is wrong, and `data.problems` names each field.',
    '- Replace words in capitals after a `$` in a URL, such as `$ID`.',
  ].join('\n'),
];

function overview(operations: readonly ApiOperation[]): string {
  const rows = operations.map(({ method, path, 'x-scopes': scopes, summary }) => {
    return `| \`${method} ${path}\` | ${scopes.map((scope) => `\`${scope}\``).join(' or ')} | ${summary} |`;
  });
  return ['| call | scope | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}

function hasBody({ requestBody }: ApiOperation): boolean {
  return requestBody !== undefined;
}

function codesOfEach(operations: readonly ApiOperation[]): ReadonlySet<string> {
  const [first = new Set<string>(), ...others] = operations.map((operation) => new Set(codesOf(operation)));
  return others.reduce((common, codes) => common.intersection(codes), first);
}

/** The content of an operation's request body and of its successful response. */
function contentsOf({ requestBody, responses }: ApiOperation): ApiContent[] {
  const answers = Object.values(responses).filter((response) => response['x-codes'] === undefined);
  return [requestBody, ...answers].flatMap((message) => Object.values(message?.content ?? {}));
}

/** The objects in requests and responses, including nested ones, each once. */
function objectBlocks(operations: readonly ApiOperation[], { components }: ApiDescription): string[] {
  const names = new Set(operations.flatMap(contentsOf).flatMap(({ schema }) => referencesIn(schema)));
  // The loop also visits names that it adds.
  for (const name of names)
    for (const field of Object.values(components.schemas[name]?.properties ?? {}))
      for (const inner of referencesIn(field)) names.add(inner);
  const objects = [...names].flatMap((name) => {
    const lines = fieldLines(components.schemas[name] ?? {}, 'read');
    return lines.length === 0 ? [] : [{ name, lines }];
  });
  return objects.length === 0 ? [] : ['## Objects', ...objects.flatMap((object) => objectBlock(object, objects))];
}

interface NamedObject {
  readonly name: string;
  readonly lines: readonly string[];
}

/**
 * Lists the members of an object. If the object begins with all members of another object, names that object instead of
 * repeating them.
 */
function objectBlock({ name, lines }: NamedObject, objects: readonly NamedObject[]): string[] {
  const base = objects.find(
    (other) => other.lines.length < lines.length && other.lines.every((line, place) => line === lines[place]),
  );
  const more = base === undefined ? [] : [`All fields of \`${base.name}\`, and:`];
  return [`### \`${name}\``, ...more, lines.slice(base?.lines.length ?? 0).join('\n')];
}

/** Describes one operation, except for the failures that all operations share. */
function operationBlocks(
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
    ...listBlock('In the path:', parameterLines(parameters, 'path')),
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

/** The codes that the operation's failures can have. */
function codesOf({ responses }: ApiOperation): string[] {
  return Object.values(responses).flatMap((response) => response['x-codes'] ?? []);
}

/** A line such as `` - `UnknownSkill` (404): The skill does not exist. `` */
function failureLine(code: string): string {
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
      const text = `Returns ${status}${form}: ${response.description}${whole}`;
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

/** The smallest value that a schema accepts: required fields only. */
function exampleOf(schema: ApiSchema, schemas: Schemas, depth = 0): unknown {
  const name = referenceOf(schema);
  if (depth > MAX_DEPTH) return {};
  if (name !== undefined) return exampleOf(schemas[name] ?? {}, schemas, depth + 1);
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return exampleOf(first, schemas, depth + 1);
  switch (typeof schema.type === 'object' ? schema.type[0] : schema.type) {
    case 'object':
      return exampleObject(schema, schemas, depth);
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => exampleOf(schema.items ?? {}, schemas, depth + 1));
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'string':
      return 'text'.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength);
    case undefined:
    default:
      return {};
  }
}

function exampleObject(
  { properties = {}, required = [], minProperties = 0 }: ApiSchema,
  schemas: Schemas,
  depth: number,
): object {
  const others = Object.keys(properties).filter((name) => !required.includes(name));
  const names = [...required, ...others.slice(0, Math.max(0, minProperties - required.length))];
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, schemas, depth + 1)]));
}

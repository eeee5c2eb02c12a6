import type { AgentSkill } from './agent-skill.ts';
import { operationsOf, type ApiContent, type ApiDescription, type ApiOperation } from './api-description.ts';
import { codesOf, failureLine, operationBlocks, type SharedFailures } from './operation-text.ts';
import { fieldLines, referencesIn } from './schema-text.ts';
import { capitalized, toSkill } from './skill-document.ts';

/** One document for each group of the REST interface, with every operation of it. */
export function createApiDocuments(description: ApiDescription): AgentSkill[] {
  const operations = operationsOf(description);
  const areas = [...new Set(operations.map(({ area }) => area))];
  const failures = sharedFailures(operations);
  return areas.map((area) => {
    const here = operations.filter((operation) => operation.area === area);
    return toSkill({
      category: 'api',
      area,
      about: `Calls the REST API of a Skillwright gateway about ${area.replaceAll('-', ' ')}`,
      tasks: here.map(({ summary }) => summary),
      use: 'Use when any of this is to be done on a gateway over HTTP, with curl or from a program.',
      compatibility: 'Needs a Skillwright gateway that runs, a key of it, and something that sends HTTP requests.',
      version: description.info.version,
      covers: here.map(({ operationId }) => operationId),
      body: [
        `# ${capitalized(area.replaceAll('-', ' '))}: the REST API of a Skillwright gateway`,
        ...HOW_TO_CALL,
        '## Calls',
        overview(here),
        ...here.flatMap((operation) => operationBlocks(operation, description.components.schemas, failures)),
        ...objectBlocks(here, description),
        '## Failures that every call can have',
        [...failures.ofAll].map(failureLine).join('\n'),
        ...(here.some(hasBody)
          ? ['With a body besides:', [...failures.ofBodies.difference(failures.ofAll)].map(failureLine).join('\n')]
          : []),
      ],
    });
  });
}

const HOW_TO_CALL = [
  '## How to call',
  [
    '- `$SKILLWRIGHT_URL` stands for the address of the gateway, such as `http://127.0.0.1:4747`, and `$SKILLWRIGHT_TOKEN` for a key of it. Never print the key.',
    '- The key needs one of the scopes that a call names. What belongs to another key is answered as if it were not there.',
    '- Bodies and answers are JSON where nothing else is said.',
    '- A failure is `application/problem+json`. Decide by its `code`; `detail` says what is wrong, and `data.problems` names each field.',
    '- Words in capitals after a `$` in an address, such as `$ID`, are to be replaced.',
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

/** Codes that every operation has, and those that every one with a body has. */
function sharedFailures(operations: readonly ApiOperation[]): SharedFailures {
  return { ofAll: codesOfEach(operations), ofBodies: codesOfEach(operations.filter(hasBody)) };
}

function codesOfEach(operations: readonly ApiOperation[]): ReadonlySet<string> {
  const [first = new Set<string>(), ...others] = operations.map((operation) => new Set(codesOf(operation)));
  return others.reduce((common, codes) => common.intersection(codes), first);
}

/** What is sent, and what is answered where all is well. */
function contentsOf({ requestBody, responses }: ApiOperation): ApiContent[] {
  const answers = Object.values(responses).filter((response) => response['x-codes'] === undefined);
  return [requestBody, ...answers].flatMap((message) => Object.values(message?.content ?? {}));
}

/** The objects that requests and answers have, and those in them, each once. */
function objectBlocks(operations: readonly ApiOperation[], { components }: ApiDescription): string[] {
  const names = new Set(operations.flatMap(contentsOf).flatMap(({ schema }) => referencesIn(schema)));
  // What is added while walking is walked, too.
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

/** The members of an object; those that it shares with a whole other one are not told again. */
function objectBlock({ name, lines }: NamedObject, objects: readonly NamedObject[]): string[] {
  const base = objects.find(
    (other) => other.lines.length < lines.length && other.lines.every((line, place) => line === lines[place]),
  );
  const more = base === undefined ? [] : [`Everything that \`${base.name}\` has, and:`];
  return [`### \`${name}\``, ...more, lines.slice(base?.lines.length ?? 0).join('\n')];
}

import type {
  ApiDescription as Described,
  ApiOperation,
  ApiParameter,
  ApiResponse,
  ApiSchema,
} from '../../agent-skills/api-description.ts';

/** The parts of the API description that the page shows. */
export interface ApiDescription extends Described {
  readonly info: { readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string }[];
}

export type Operation = Omit<ApiOperation, 'area'>;
export type Parameter = ApiParameter;
export type Schema = ApiSchema;
export type Answer = ApiResponse;
export type Schemas = ApiDescription['components']['schemas'];

const MAX_DEPTH = 8;

/** Every operation with its path and method, in the order of the description. */
export function operationsOf({ paths }: Pick<ApiDescription, 'paths'>): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
}

/** Whether a search matches an operation's method, path or summary, ignoring case. */
export function isFound({ method, path, summary }: Operation, search: string): boolean {
  return `${method} ${path} ${summary}`.toLowerCase().includes(search.trim().toLowerCase());
}

/** Follows a reference to the schema it names. */
export function resolveSchema(schema: Schema | undefined, schemas: Schemas, depth = 0): Schema {
  if (schema === undefined || depth > MAX_DEPTH) return {};
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolveSchema(schemas[name], schemas, depth + 1);
}

/** A first value that matches a schema. */
export function exampleOf(given: Schema | undefined, schemas: Schemas, depth = 0): unknown {
  const schema = resolveSchema(given, schemas);
  if (depth >= MAX_DEPTH) return null;
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return exampleOf(first, schemas, depth + 1);
  const { properties = {}, required = [] } = schema;
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'object': {
      const names = depth === 0 && required.length === 0 ? Object.keys(properties) : required;
      return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name], schemas, depth + 1)]));
    }
    case 'array':
      return (schema.minItems ?? 0) > 0 ? [exampleOf(schema.items, schemas, depth + 1)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'string':
      return '';
    default:
      return {};
  }
}

/** The path and query of a request, with the filled-in values. */
export function requestPath(
  { path, parameters }: Pick<Operation, 'path' | 'parameters'>,
  valueOf: (name: string) => string,
): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place } of parameters) {
    const value = valueOf(name);
    if (place === 'path') filled = filled.replace(`{${name}}`, () => encodeURIComponent(value));
    else if (value !== '') query.set(name, value);
  }
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}

/** JSON with line breaks; any other text unchanged. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

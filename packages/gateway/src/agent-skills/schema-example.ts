import { referenceOf, type ApiSchema } from './api-description.ts';

type Schemas = Readonly<Record<string, ApiSchema>>;

/** Deeper objects are left empty. */
const MAX_DEPTH = 8;

/** The smallest value that a schema takes, with what it must have and no more. */
export function exampleOf(schema: ApiSchema, schemas: Schemas, depth = 0): unknown {
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

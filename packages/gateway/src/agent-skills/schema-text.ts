import { referenceOf, type ApiSchema } from './api-description.ts';

/** Whether the reader of the document sends the fields or receives them. */
export type FieldSide = 'sent' | 'read';

/** Lists the members of an object, with nested objects indented. Empty if the object names no members. */
export function fieldLines(schema: ApiSchema, side: FieldSide, indent = ''): string[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) => [
    `${indent}${fieldLine(name, field, { side, isRequired: required.includes(name) })}`,
    ...fieldLines(insideOf(field), side, `${indent}  `),
  ]);
}

/** `` - `limit` (integer from 1 to 200, default 50): Rows of a page. `` */
export function fieldLine(
  name: string,
  schema: ApiSchema,
  { side, isRequired }: { readonly side: FieldSide; readonly isRequired: boolean },
): string {
  const facts = [
    phraseOf(schema),
    ...(side === 'sent' && isRequired && schema.default === undefined ? ['required'] : []),
    ...(side === 'read' && !isRequired ? ['may be absent'] : []),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  const text = schema.description === undefined ? '' : `: ${schema.description}`;
  return `- \`${name}\` (${facts.join(', ')})${text}`;
}

/** The names of the objects that a schema refers to, at any depth. */
export function referencesIn(schema: ApiSchema): string[] {
  const name = referenceOf(schema);
  if (name !== undefined) return [name];
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? [])];
  return [...inner, ...(schema.items === undefined ? [] : [schema.items])].flatMap(referencesIn);
}

/** The object whose members are listed below: the schema itself, the items of a list, or the non-null variant. */
function insideOf(schema: ApiSchema): ApiSchema {
  if (schema.items !== undefined) return insideOf(schema.items);
  const [first] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return first === undefined ? schema : insideOf(first);
}

/** Describes a value's type in a few words. */
export function phraseOf(schema: ApiSchema): string {
  const name = referenceOf(schema);
  if (name !== undefined) return `\`${name}\``;
  if (schema.anyOf !== undefined) return schema.anyOf.map(phraseOf).join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}`;
  if (schema.type === 'array')
    return `list${bounds(' of', schema.minItems, schema.maxItems)} of ${phraseOf(schema.items ?? {})}`;
  if (schema.type === 'string' && schema.pattern !== undefined) return `string like \`${schema.pattern}\``;
  const length = bounds(' of', schema.minLength, schema.maxLength);
  const size = bounds(' from', schema.minimum, schema.maximum);
  return `${typeOf(schema)}${length === '' ? '' : `${length} characters`}${size}`;
}

function typeOf({ type = 'anything' }: ApiSchema): string {
  return typeof type === 'string' ? type : type.join(' or ');
}

/** A bound in words: ` of 1 to 5`, ` of at most 5`, ` of at least 1`, or nothing. */
function bounds(word: string, least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return `${word} ${least} to ${most}`;
  if (most !== undefined) return `${word.replace(' from', ' of')} at most ${most}`;
  return least === undefined ? '' : `${word.replace(' from', ' of')} at least ${least}`;
}

import { isSaid, wordsOf, type Task } from './task.ts';
import { createTaskValues, kindOfName, type TaskValues } from './values.ts';
import { listOf, recordOf, textOf, type JsonRecord } from '../formats/json-values.ts';

/** The arguments of a call, filled from a task. */
export interface FilledArguments {
  readonly values: JsonRecord;
  /** Required arguments that the task does not provide. */
  readonly missing: readonly string[];
  /** How many values of the task were not used. */
  readonly left: number;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly schema: JsonRecord;
  readonly isRequired: boolean;
}

/** Fills the fields of a tool's schema from the task, required fields first. Nothing is guessed. */
export function fillArguments(schema: unknown, task: Task): FilledArguments {
  const fields = fieldsOf(schema);
  const given = createTaskValues(task);
  const values: Record<string, unknown> = {};
  const fill = (field: Field, value: unknown): boolean => {
    if (value !== undefined) values[field.name] = value;
    return value !== undefined;
  };
  const required = fields.filter(({ isRequired }) => isRequired);
  const optional = fields.filter(({ isRequired }) => !isRequired);
  const missing = required.filter((field) => !fill(field, valueOf(field, task, given))).map(({ name }) => name);
  for (const field of optional) fill(field, valueOf(field, task, given));
  // Without required fields, a tool usually expects at least one of several: "give this or that".
  if (required.length === 0 && Object.keys(values).length === 0)
    optional.filter(isForText).some((field) => fill(field, given.take('text')));
  return { values, missing, left: given.left };
}

/** Fills one value like `fillArguments`; `undefined` if the task does not provide it. */
export function fillArgument(schema: unknown, name: string, task: Task): unknown {
  const field = fieldsOf(schema).find((item) => item.name === name);
  return field === undefined ? undefined : valueOf({ ...field, isRequired: true }, task, createTaskValues(task));
}

function fieldsOf(schema: unknown): readonly Field[] {
  const { properties, required } = recordOf(schema);
  const names = new Set(listOf(required));
  return Object.entries(recordOf(properties)).map(([name, value]) => {
    const property = recordOf(value);
    const type = listOf(property.type)[0] ?? property.type;
    return {
      name,
      type: textOf(type).toLowerCase(),
      description: textOf(property.description),
      schema: property,
      isRequired: names.has(name),
    };
  });
}

function isForText({ name, type, description }: Field): boolean {
  return type === 'string' && kindOfName(name, description) === 'text';
}

function valueOf(field: Field, task: Task, given: TaskValues): unknown {
  const { name, description, isRequired } = field;
  const choices = choicesIn(field.schema, task);
  if (choices !== undefined) return choices[0];
  switch (field.type) {
    case 'string': {
      const kind = kindOfName(name, description);
      if (kind === 'date' || kind === 'file') return given.take(kind);
      return isRequired ? given.take('text') : undefined;
    }
    case 'number':
    case 'integer':
      return (
        given.takeNumber(name, description) ?? (isRequired || isSaid(task, name) ? given.take('number') : undefined)
      );
    case 'boolean':
      return isSaid(task, name) && !isDenied(task) ? true : undefined;
    case 'array':
      return isRequired || isSaid(task, name) ? listFor(field, task, given) : undefined;
    default:
      return undefined;
  }
}

function listFor({ name, description, schema }: Field, task: Task, given: TaskValues): readonly unknown[] | undefined {
  const choices = choicesIn(recordOf(schema.items), task);
  const kind = kindOfName(name, description);
  const values = choices ?? given.takeRest(kind === 'number' ? 'text' : kind);
  return values.length === 0 ? undefined : values;
}

/** The allowed values that the task mentions; `undefined` if any value is allowed. */
function choicesIn(schema: JsonRecord, task: Task): readonly unknown[] | undefined {
  const allowed = listOf(schema.enum);
  if (allowed.length === 0) return undefined;
  return allowed.filter((value) => typeof value === 'string' && wordsOf(value).length > 0 && isSaid(task, value));
}

function isDenied({ words }: Task): boolean {
  return /\b(?:no|not|never|without)\b|n['’]t\b/i.test(words);
}

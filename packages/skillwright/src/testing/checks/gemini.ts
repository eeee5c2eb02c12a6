import {
  declarationsOf,
  partsOf,
  spelled,
  toolsOf,
  type Declaration,
} from '../../models/demo/formats/gemini-request.ts';
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../models/demo/formats/json-values.ts';
import type { Refusal } from '../../models/demo/formats/served-format.ts';
import { stepSignature } from '../../models/demo/formats/spoken-turn.ts';
import type { FormatRequest } from '../server/format-request.ts';
import { geminiSchemaProblems } from './gemini-schema.ts';
import { schemaFaults } from './schema-check.ts';

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const NAME_RULE =
  'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.';
const DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];
const TOOL_FIELDS: ReadonlySet<string> = new Set([
  'functionDeclarations',
  'googleSearch',
  'googleSearchRetrieval',
  'googleMaps',
  'codeExecution',
  'computerUse',
  'fileSearch',
  'urlContext',
  'mcpServers',
]);
const DECLARATION_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'behavior',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
]);
const SIGNATURE = /^[A-Za-z0-9+/_-]+=*$/;
/** Placeholder signatures that the provider documents for calls that its models did not make. */
const PLACEHOLDERS = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']);

function refuse(message: string): Refusal {
  return { status: 400, message };
}

export function* geminiRefusals(request: FormatRequest): Generator<Refusal> {
  const { body } = request;
  const contents = listOf(body.contents).map(recordOf);
  if (body.contents !== undefined && !Array.isArray(body.contents)) {
    yield refuse("Invalid value at 'contents': Proto field is repeating, expected a list.");
  }
  if (contents.length === 0) yield refuse('* GenerateContentRequest.contents: contents is not specified\n');
  for (const [index, content] of contents.entries()) yield* contentRefusals(content, `contents[${index}]`);
  const turns = turnsOf(contents);
  yield* turnRefusals(turns, request);
  if (request.strictness.signatures === 'required') yield* signatureRefusals(turns, request);
  for (const [index, tool] of toolsOf(body).entries()) yield* toolShapeRefusals(tool, `tools[${index}]`);
  yield* toolRefusals(declarationsOf(body));
}

function* contentRefusals(content: JsonRecord, at: string): Generator<Refusal> {
  const { role } = content;
  if (role !== undefined && role !== 'user' && role !== 'model' && role !== 'function') {
    yield refuse('Please use a valid role: user, model.');
  }
  const parts = partsOf(content);
  if (parts.length === 0) yield refuse(`* GenerateContentRequest.${at}.parts: contents.parts must not be empty.\n`);
  for (const [index, part] of parts.entries()) {
    const place = `GenerateContentRequest.${at}.parts[${index}]`;
    if (DATA.every((field) => spelled(part, field) === undefined)) {
      yield refuse(`* ${place}.data: required oneof field 'data' must have one initialized field\n`);
    }
    const call = spelled(part, 'functionCall');
    const answered = spelled(part, 'functionResponse');
    if (call !== undefined && textOf(recordOf(call).name) === '') {
      yield refuse(`* ${place}.function_call.name: Name cannot be empty.\n`);
    }
    if (call !== undefined && recordOf(call).args !== undefined && !isRecord(recordOf(call).args)) {
      yield refuse(
        `Invalid value at '${at}.parts[${index}].function_call.args' (type.googleapis.com/google.protobuf.Struct)`,
      );
    }
    if (answered !== undefined) yield* answerRefusals(recordOf(answered), `${at}.parts[${index}].function_response`);
  }
}

function* answerRefusals({ name, response }: JsonRecord, at: string): Generator<Refusal> {
  if (textOf(name) === '') yield refuse(`* GenerateContentRequest.${at}.name: Name cannot be empty.\n`);
  if (!isRecord(response)) {
    yield refuse(`Invalid value at '${at}.response' (type.googleapis.com/google.protobuf.Struct)`);
  }
}

/**
 * Joins consecutive contents of the model into one turn, because the provider's own client sends every chunk as a
 * separate content.
 */
function turnsOf(contents: readonly JsonRecord[]): readonly JsonRecord[] {
  const turns: JsonRecord[] = [];
  for (const content of contents) {
    const last = turns.at(-1);
    if (last?.role === 'model' && content.role === 'model') {
      turns[turns.length - 1] = { role: 'model', parts: [...partsOf(last), ...partsOf(content)] };
    } else turns.push(content);
  }
  return turns;
}

interface NamedCall {
  readonly id: unknown;
  readonly name: unknown;
}

/**
 * This format matches calls by position: the responses come right after the calls, equal in number and with the same
 * names.
 */
function* turnRefusals(contents: readonly JsonRecord[], { strictness }: FormatRequest): Generator<Refusal> {
  for (const [index, content] of contents.entries()) {
    const calls = fieldsOf(content, 'functionCall');
    const answers = fieldsOf(content, 'functionResponse');
    const before = contents[index - 1];
    const after = contents[index + 1];
    if (calls.length > 0 && before === undefined) {
      yield refuse(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    if (calls.length > 0 && fieldsOf(after ?? {}, 'functionResponse').length !== calls.length) {
      yield refuse(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    }
    const asked = fieldsOf(before ?? {}, 'functionCall');
    if (answers.length > 0 && asked.length === 0) {
      yield refuse('Please ensure that function response turn comes immediately after a function call turn.');
    }
    if (answers.length > 0) yield* matchRefusals(asked, answers, strictness.resultOrder);
    yield* repeatedIds(calls);
  }
}

function fieldsOf(content: JsonRecord, field: string): readonly NamedCall[] {
  return partsOf(content).flatMap((part) => {
    const value = spelled(part, field);
    if (value === undefined) return [];
    const { id, name } = recordOf(value);
    return [{ id, name }];
  });
}

function* matchRefusals(
  calls: readonly NamedCall[],
  answers: readonly NamedCall[],
  resultOrder: 'calls' | 'any',
): Generator<Refusal> {
  const left = [...calls];
  for (const [index, answer] of answers.entries()) {
    const place = left.findIndex((call) => call.name === answer.name && (answer.id ?? call.id) === call.id);
    if (place === -1) {
      const id = answer.id === undefined ? '' : ` with id '${textOf(answer.id)}'`;
      yield refuse(`Function response '${textOf(answer.name)}'${id} matches no function call of the turn before it.`);
    }
    if (resultOrder === 'calls' && calls[index]?.name !== answer.name) {
      yield refuse(`Function responses do not come in the order of their function calls: '${textOf(answer.name)}'.`);
    }
    if (resultOrder === 'calls' && answer.id !== undefined && calls[index]?.id !== answer.id) {
      yield refuse(`Function responses do not come in the order of their function calls: '${textOf(answer.id)}'.`);
    }
    left.splice(place, 1);
  }
}

function* repeatedIds(calls: readonly NamedCall[]): Generator<Refusal> {
  const ids = calls.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) yield refuse(`Function call ids must be unique: '${textOf(repeated)}'.`);
}

/** In the turn in progress, the first call of every step must have its original signature. */
function* signatureRefusals(contents: readonly JsonRecord[], { memory }: FormatRequest): Generator<Refusal> {
  const start = contents.findLastIndex(
    (content) => content.role !== 'model' && fieldsOf(content, 'functionResponse').length === 0,
  );
  for (const [index, content] of contents.entries()) {
    const first = partsOf(content).find((part) => spelled(part, 'functionCall') !== undefined);
    if (index < start || content.role !== 'model' || first === undefined) continue;
    const signature = textOf(spelled(first, 'thoughtSignature'));
    const { id, name } = recordOf(spelled(first, 'functionCall'));
    if (signature === '') {
      const where = `Function call \`${textOf(name)}\` in the ${index + 1}. content block`;
      yield refuse(`${where} is missing a \`thought_signature\`.`);
    }
    const turn = memory.turnOf(textOf(id));
    const isGenuine = turn === undefined ? SIGNATURE.test(signature) : signature === stepSignature(turn);
    if (!isGenuine && !PLACEHOLDERS.has(signature)) yield refuse('Corrupted thought signature.');
  }
}

function* toolShapeRefusals(tool: unknown, at: string): Generator<Refusal> {
  if (!isRecord(tool)) {
    yield refuse(`Invalid value at '${at}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Tool)`);
    return;
  }
  yield* unknownNames(tool, TOOL_FIELDS, at);
  if (Object.keys(tool).length === 0) {
    yield refuse(
      `* GenerateContentRequest.${at}.tool_type: required one_of 'tool_type' must have one initialized field\n`,
    );
  }
  const declarations = spelled(tool, 'functionDeclarations');
  if (declarations !== undefined && !Array.isArray(declarations)) {
    yield refuse(`Invalid value at '${at}.function_declarations': Proto field is repeating, expected a list.`);
  }
  for (const [index, declaration] of listOf(declarations).entries()) {
    const place = `${at}.function_declarations[${index}]`;
    if (!isRecord(declaration)) {
      const type = 'type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionDeclaration';
      yield refuse(`Invalid value at '${place}' (${type})`);
      continue;
    }
    yield* unknownNames(declaration, DECLARATION_FIELDS, place);
    const { description } = declaration;
    if (description !== undefined && typeof description !== 'string') {
      yield refuse(`Invalid value at '${place}.description' (TYPE_STRING)`);
    }
  }
}

function* unknownNames(record: JsonRecord, known: ReadonlySet<string>, at: string): Generator<Refusal> {
  for (const name of Object.keys(record)) {
    const plain = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!known.has(plain)) {
      yield refuse(`Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`);
    }
  }
}

function* toolRefusals(declarations: readonly Declaration[]): Generator<Refusal> {
  const names = new Set<string>();
  for (const { declaration, at } of declarations) {
    const name = textOf(declaration.name);
    if (!NAME.test(name)) yield refuse(`* GenerateContentRequest.${at}.name: ${NAME_RULE}\n`);
    if (names.has(name)) yield refuse(`Duplicate function declaration found: ${name}`);
    names.add(name);
    const { parameters } = declaration;
    const schema = spelled(declaration, 'parametersJsonSchema');
    if (parameters !== undefined && schema !== undefined) {
      yield refuse(`${at}: only one of parameters and parameters_json_schema may be set.`);
    }
    if (parameters !== undefined) {
      for (const problem of geminiSchemaProblems(parameters, `${at}.parameters`)) yield refuse(problem);
    }
    if (schema !== undefined) {
      for (const { path, message } of schemaFaults(schema)) {
        yield refuse(`Invalid value at '${at}.parameters_json_schema' (${path.join('.')}): ${message}`);
      }
    }
  }
}

import type { OfferedTool } from './conversation.ts';
import { listOf, recordOf, textOf, type JsonRecord } from './json-values.ts';
import type { Refusal } from './served-format.ts';

/** Where a request holds a function: chat puts it below `function`, Responses does not. */
export interface FunctionPlace {
  readonly definition: JsonRecord;
  readonly param: string;
}

export function chatFunctions(body: JsonRecord): readonly FunctionPlace[] {
  return listOf(body.tools).flatMap((tool, index) => {
    const { type, function: definition } = recordOf(tool);
    return type === 'function' ? [{ definition: recordOf(definition), param: `tools[${index}].function` }] : [];
  });
}

export function responsesFunctions(body: JsonRecord): readonly FunctionPlace[] {
  return listOf(body.tools).flatMap((tool, index) => {
    const definition = recordOf(tool);
    return definition.type === 'function' ? [{ definition, param: `tools[${index}]` }] : [];
  });
}

export function offeredFunctions(functions: readonly FunctionPlace[]): readonly OfferedTool[] {
  return functions.map(({ definition }) => ({
    name: textOf(definition.name),
    description: textOf(definition.description),
    schema: definition.parameters ?? undefined,
  }));
}

/** Error bodies of OpenAI, and of OpenRouter when that is simulated. */
export function openaiErrorBody(refusal: Refusal, { provider }: { readonly provider: 'own' | 'openrouter' }): unknown {
  const { status, message, param, code } = refusal;
  if (provider === 'openrouter') return { error: { code: status, message }, user_id: 'user_served' };
  return { error: { message, type: errorType(status), param: param ?? null, code: code ?? defaultCode(status) } };
}

function errorType(status: number): string {
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function defaultCode(status: number): string | null {
  if (status === 401) return 'invalid_api_key';
  if (status === 404) return 'model_not_found';
  return status === 429 ? 'rate_limit_exceeded' : null;
}

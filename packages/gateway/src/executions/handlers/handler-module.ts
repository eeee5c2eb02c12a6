import { pathToFileURL } from 'node:url';
import { GatewayError, messageOf } from '../../spec/gateway-error.ts';
import type { Executor, Handler, HandlerOptions } from '../executor.ts';
import { isJsonObject } from '../../spec/json-object.ts';

/** A handler with options, as a module may export it. */
interface DescribedHandler extends HandlerOptions {
  readonly handler: Handler;
}

/**
 * Registers the handlers of a module: every function that it exports by name, and the functions in an object that is
 * its default export. To set options, export `{ handler, idempotent }`.
 */
export async function loadHandlers(file: string, executor: Pick<Executor, 'registerHandler'>): Promise<void> {
  const { default: whole, ...named } = await importModule(file);
  if (whole !== undefined && !isJsonObject(whole))
    throw unreadable(file, 'its default export must be an object of handlers by name');
  for (const [name, value] of Object.entries({ ...whole, ...named })) {
    if (typeof value === 'function') executor.registerHandler(name, value as Handler);
    else if (isDescribed(value)) executor.registerHandler(name, value.handler, { idempotent: value.idempotent });
    else if (isJsonObject(whole) && Object.hasOwn(whole, name))
      throw unreadable(file, `'${name.slice(0, 100)}' must be a function or { handler, idempotent }`);
  }
}

async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw unreadable(file, messageOf(error), error);
  }
}

function isDescribed(value: unknown): value is DescribedHandler {
  return isJsonObject(value) && typeof value['handler'] === 'function';
}

function unreadable(file: string, problem: string, cause?: unknown): GatewayError {
  return new GatewayError('ConfigurationUnreadable', `The handlers in ${file} cannot be used: ${problem}.`, {
    data: { file },
    cause,
  });
}

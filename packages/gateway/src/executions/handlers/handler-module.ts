import { pathToFileURL } from 'node:url';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { Executor, Handler, HandlerOptions } from '../executor.ts';
import { messageOf } from '../../spec/caught-error.ts';

/** A handler with what is said of it, as a module may export it. */
interface DescribedHandler extends HandlerOptions {
  readonly handler: Handler;
}

/**
 * Registers the handlers of a module: every function that it exports by name, and those in the object that is its default
 * export. Where a function is not enough, an export is `{ handler, idempotent }`.
 */
export async function loadHandlers(file: string, executor: Pick<Executor, 'registerHandler'>): Promise<void> {
  const { default: whole, ...named } = await importModule(file);
  if (whole !== undefined && !isObject(whole))
    throw unreadable(file, 'its default export must be an object of handlers by name');
  for (const [name, value] of Object.entries({ ...whole, ...named })) {
    if (typeof value === 'function') executor.registerHandler(name, value as Handler);
    else if (isDescribed(value)) executor.registerHandler(name, value.handler, { idempotent: value.idempotent });
    else if (isObject(whole) && Object.hasOwn(whole, name))
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDescribed(value: unknown): value is DescribedHandler {
  return isObject(value) && typeof value['handler'] === 'function';
}

function unreadable(file: string, problem: string, cause?: unknown): GatewayError {
  return new GatewayError('ConfigurationUnreadable', `The handlers in ${file} cannot be used: ${problem}.`, {
    data: { file },
    cause,
  });
}

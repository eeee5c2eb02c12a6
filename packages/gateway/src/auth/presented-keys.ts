import type { Exchange } from '../http/exchange.ts';

/** Every key that a request carries, in any client's way of sending one. May be a provider's. */
export function presentedKeys({ req }: Exchange): string[] {
  const bearer = /^bearer +(\S+) *$/i.exec(req.header('authorization') ?? '')?.[1];
  const found = [bearer, req.header('x-api-key'), req.header('x-goog-api-key'), req.query('key')];
  return found.filter((key): key is string => key !== undefined && key !== '');
}

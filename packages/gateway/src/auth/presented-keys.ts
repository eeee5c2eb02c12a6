import type { GatewayContext } from '../http/gateway-env.ts';

/** Every key that a request carries, in any client's way of sending one. May be a provider's. */
export function presentedKeys({ req }: GatewayContext): string[] {
  const bearer = /^bearer +(\S+) *$/i.exec(req.header('authorization') ?? '')?.[1];
  const found = [bearer, req.header('x-api-key'), req.header('x-goog-api-key'), queryKey(req.url)];
  return found.filter((key): key is string => key !== undefined && key !== '');
}

function queryKey(url: string): string | undefined {
  if (!url.includes('key=')) return undefined;
  return new URL(url).searchParams.get('key') ?? undefined;
}

/**
 * What a reference inside a schema points at: `#`, or `#/` and a JSON pointer. `undefined` where there is nothing, and
 * for references that lead outside.
 */
export function resolveReference(root: unknown, reference: unknown): { readonly target: unknown } | undefined {
  if (typeof reference !== 'string' || (reference !== '#' && !reference.startsWith('#/'))) return undefined;
  let target = root;
  for (const part of reference.split('/').slice(1)) {
    const key = pointerKey(part);
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined;
    target = (target as Readonly<Record<string, unknown>>)[key];
  }
  return { target };
}

function pointerKey(part: string): string {
  return unescaped(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

import { fileURLToPath } from 'node:url';

/** For programs that tests start from source: Node compiles them once instead of at every start. */
export const COMPILE_CACHE: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/skillwright-tests', import.meta.url)),
};

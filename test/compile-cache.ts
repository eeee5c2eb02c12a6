import { fileURLToPath } from 'node:url';

/** For programs that tests start from their sources: Node then compiles them once, and not at every start. */
export const COMPILE_CACHE: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/skillwright-tests', import.meta.url)),
};

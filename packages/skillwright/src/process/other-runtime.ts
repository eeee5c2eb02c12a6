/** What runs this program if it is not Node, though it looks like it. */
export function otherRuntime(): 'Bun' | 'Deno' | undefined {
  if (process.versions['bun'] !== undefined) return 'Bun';
  return process.versions['deno'] === undefined ? undefined : 'Deno';
}

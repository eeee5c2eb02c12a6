/** The code of an error of the operating system, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The environment of this process: the one place of the library that looks at it. */
export function hostEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
  return environment;
}

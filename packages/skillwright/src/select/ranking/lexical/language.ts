/** The programming language that the last part of a skill's name, such as `-py`, stands for. */
const BY_ENDING: ReadonlyMap<string, string> = new Map([
  ['py', 'python'],
  ['python', 'python'],
  ['ts', 'typescript'],
  ['typescript', 'typescript'],
  ['js', 'javascript'],
  ['javascript', 'javascript'],
  ['node', 'javascript'],
  ['nodejs', 'javascript'],
  ['dotnet', 'dotnet'],
  ['csharp', 'dotnet'],
  ['java', 'java'],
  ['kotlin', 'kotlin'],
  ['rust', 'rust'],
  ['go', 'go'],
  ['golang', 'go'],
  ['swift', 'swift'],
  ['php', 'php'],
  ['ruby', 'ruby'],
  ['cpp', 'cpp'],
]);

/** Words of a task that name a language, its files or its tools. */
const SAID: readonly (readonly [said: RegExp, languages: readonly string[]])[] = [
  [/\b(?:python|pip|pytest|asyncio|py)\b/i, ['python']],
  [/\b(?:typescript|tsx?|javascript|js|npm)\b/i, ['typescript', 'javascript']],
  [/\bc#|\.net\b|\b(?:dotnet|csharp|csproj|nuget)\b/i, ['dotnet']],
  [/\b(?:java|maven|gradle)\b/i, ['java']],
  [/\bkotlin\b/i, ['kotlin']],
  [/\b(?:rust|cargo|tokio)\b/i, ['rust']],
  [/\b(?:golang|Go (?:code|service|module))\b/, ['go']],
  [/\bswift(?:ui)?\b/i, ['swift']],
  [/\bphp\b/i, ['php']],
  [/\bruby\b/i, ['ruby']],
  [/\bc\+\+|\bcpp\b/i, ['cpp']],
];

/** If a task names no language, the spelling of its identifiers shows which languages are likely. */
const SNAKE_CASE = /\b[a-z][a-z0-9]{0,40}_[a-z0-9]/;
const CAMEL_CASE = /\b[a-z][a-z0-9]{0,40}[A-Z][a-z]/;
const SNAKE_CASED: readonly string[] = ['python', 'rust', 'ruby', 'php'];
const CAMEL_CASED: readonly string[] = ['java', 'typescript', 'javascript', 'kotlin', 'swift', 'go'];

/**
 * The programming language that a skill's name ends with. Names use such endings to tell apart skills for different
 * languages.
 */
export function languageOf(name: string): string | undefined {
  return BY_ENDING.get(name.slice(name.lastIndexOf('-') + 1).toLowerCase());
}

/** The languages that a task may be about; empty if it does not show any. */
export function languagesIn(task: string): ReadonlySet<string> {
  const said = SAID.flatMap(([pattern, languages]) => (pattern.test(task) ? languages : []));
  if (said.length > 0) return new Set(said);
  const isSnakeCased = SNAKE_CASE.test(task);
  if (isSnakeCased === CAMEL_CASE.test(task)) return new Set();
  return new Set(isSnakeCased ? SNAKE_CASED : CAMEL_CASED);
}

/** The frontmatter and title of a SKILL.md. */
export function skillHead(name: string, description: string): string {
  const title = name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll('-', ' ');
  return `---\nname: ${yamlText(name)}\ndescription: ${description}\n---\n\n# ${title}\n`;
}

/** YAML reads names such as `404` or `true` as text only if they are quoted. */
function yamlText(name: string): string {
  return /^\p{L}/u.test(name) && !NOT_TEXT.has(name) ? name : `'${name}'`;
}

const NOT_TEXT: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** Tasks that should and should not trigger a skill. */
export interface SampleQueries {
  readonly should: readonly [string, ...string[]];
  readonly shouldNot: readonly string[];
}

/** The same queries as a file that `skillwright eval` reads. */
export function triggerSet({ should, shouldNot }: SampleQueries): string {
  const lines = [
    ...should.map((query) => JSON.stringify({ query, should_trigger: true })),
    ...shouldNot.map((query) => JSON.stringify({ query, should_trigger: false })),
  ];
  return `[\n${lines.map((line) => `  ${line}`).join(',\n')}\n]\n`;
}

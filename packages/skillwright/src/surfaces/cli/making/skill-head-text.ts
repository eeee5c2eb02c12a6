/** The frontmatter and the title of a SKILL.md. */
export function skillHead(name: string, description: string): string {
  const title = name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll('-', ' ');
  return `---\nname: ${yamlText(name)}\ndescription: ${description}\n---\n\n# ${title}\n`;
}

/** Names such as `404` or `true` are no text in YAML unless they are in quotes. */
function yamlText(name: string): string {
  return /^\p{L}/u.test(name) && !NOT_TEXT.has(name) ? name : `'${name}'`;
}

const NOT_TEXT: ReadonlySet<string> = new Set(['true', 'false', 'null']);

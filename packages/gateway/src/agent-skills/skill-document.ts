import type { AgentSkill, AgentSkillCategory } from './agent-skill.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

export interface DocumentParts {
  readonly category: AgentSkillCategory;
  readonly area: string;
  /** How the description begins, without a full stop. */
  readonly about: string;
  /** What the skill can do: sentences, of which the description takes as many as fit. */
  readonly tasks: readonly string[];
  /** A sentence that begins with "Use". */
  readonly use: string;
  /** What an agent needs to follow the document. */
  readonly compatibility: string;
  readonly version: string;
  readonly covers: readonly string[];
  /** Markdown blocks, joined by blank lines. */
  readonly body: readonly string[];
}

/** Assembles a document. Its frontmatter is valid whatever the parts contain. */
export function toSkill(parts: DocumentParts): AgentSkill {
  const { category, area, covers, compatibility, version, body } = parts;
  const name = nameOf(category, area);
  const description = describe(parts);
  const frontmatter = [
    '---',
    `name: ${name}`,
    // A JSON string is a valid YAML string.
    `description: ${JSON.stringify(description)}`,
    `compatibility: ${JSON.stringify(compatibility)}`,
    'metadata:',
    `  version: ${JSON.stringify(version)}`,
    '---',
  ];
  const content = `${[frontmatter.join('\n'), ...body].join('\n\n')}\n`;
  return { id: name, name, description, category, area, covers, content };
}

/**
 * The name of a document, such as `skillwright-api-skills`: lower-case letters, digits and single hyphens, at most 64
 * characters.
 */
function nameOf(category: AgentSkillCategory, area: string): string {
  return `skillwright-${category}-${area}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replace(/-$/, '');
}

/** Writes as many tasks as fit into the description, and the number of the remaining tasks. */
function describe({ about, tasks, use }: DocumentParts): string {
  for (let count = tasks.length; count > 0; count -= 1) {
    const listed = tasks.slice(0, count).map(asPart).join('; ');
    const more = count < tasks.length ? `; and ${tasks.length - count} more` : '';
    const description = `${about}: ${listed}${more}. ${use}`;
    if (description.length <= MAX_DESCRIPTION) return description;
  }
  return `${about}. ${use}`.slice(0, MAX_DESCRIPTION);
}

/** Turns a sentence into a part of another sentence: without the full stop, and with a small first letter. */
export function asPart(sentence: string): string {
  const text = sentence.replace(/\.$/, '');
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

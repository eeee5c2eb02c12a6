import type { Random } from '../random.ts';
import { AUTHORS, CJK_CLAUSES, CLAUSES, DASHED_CLAUSES, LICENSES, THINGS, TOOLS, TOPICS, VERBS } from './words.ts';

/** The YAML between the fences, for a skill of this name, without the fences. Lines end in "\n". */
export function writeFrontmatter(name: string, random: Random): string {
  const lines = [`name: ${name}`, describe(random)];
  if (random.chance(0.25)) lines.push(`license: ${random.pick(LICENSES)}`);
  if (random.chance(0.2)) lines.push(allowTools(random));
  if (random.chance(0.15)) lines.push(`version: ${version(random)}`);
  if (random.chance(0.05)) lines.push(list('tags', [random.pick(TOPICS), random.pick(THINGS)], random.chance(0.5)));
  if (random.chance(0.2)) {
    lines.push('metadata:', `  author: ${random.pick(AUTHORS)}`, `  version: ${version(random)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** A description in one of the styles found in published skills; the shares are of all skills. */
function describe(random: Random): string {
  const clauses = chooseClauses(random);
  const text = `${clauses.join('. ')}.`;
  const style = random.next();
  if (style < 0.03) return `description: ${breakWithColon(clauses)}`;
  if (style < 0.15) return `description: ${JSON.stringify(text)}`;
  if (style < 0.19) return `description: '${text.replaceAll("'", "''")}'`;
  if (style < 0.23) return `description: >-\n  ${clauses.join('.\n  ')}.`;
  if (style < 0.27) return `description: |\n  ${clauses.join('.\n  ')}.`;
  if (style < 0.3) return `description: ${clauses.join('.\n  ')}.`;
  return `description: ${text}`;
}

/** Clauses of 120–500 characters in total. */
function chooseClauses(random: Random): string[] {
  const target = random.between(120, 440);
  const pool = random.chance(0.04) ? CJK_CLAUSES : random.chance(0.16) ? DASHED_CLAUSES : CLAUSES;
  const verb = random.pick(VERBS);
  const clauses = [
    `${verb[0]?.toUpperCase()}${verb.slice(1)} ${random.pick(TOPICS)} ${random.pick(THINGS)} and ${random.pick(THINGS)}`,
  ];
  let length = clauses[0]?.length ?? 0;
  while (length < target) {
    const clause = random.pick(pool);
    if (length >= 120 && length + clause.length > 490) break;
    clauses.push(clause);
    length += clause.length + 2;
  }
  return clauses;
}

/** The most common mistake in published skills: an unquoted ": " inside the value, which is not valid YAML. */
function breakWithColon(clauses: string[]): string {
  return `${clauses[0]}. Use when: ${clauses.slice(1).join('. ')}. Note: ask first.`;
}

function allowTools(random: Random): string {
  const tools = new Set([random.pick(TOOLS), random.pick(TOOLS), random.pick(TOOLS), random.pick(TOOLS)]);
  if (random.chance(0.65)) return `allowed-tools: ${[...tools].join(', ')}`;
  return list('allowed-tools', [...tools], random.chance(0.3));
}

function list(key: string, items: string[], flow: boolean): string {
  if (flow) return `${key}: [${items.map((item) => JSON.stringify(item)).join(', ')}]`;
  return `${key}:\n${items.map((item) => `  - ${item}`).join('\n')}`;
}

function version(random: Random): string {
  const text = `${random.between(0, 4)}.${random.between(0, 9)}`;
  if (random.chance(0.6)) return `${text}.${random.between(0, 9)}`;
  return random.chance(0.7) ? `"${text}"` : text;
}

import type { Random } from '../random.ts';
import { CLAUSES, DASHED_CLAUSES, THINGS, TOPICS, VERBS } from './words.ts';

/** A markdown body of 1–12 KB (small ones are more common); half of all bodies are pure ASCII. */
export function writeBody(name: string, random: Random): string {
  const target = Math.round(1024 * 12 ** random.next());
  const blocks = [`# ${name}\n`];
  if (random.chance(0.3)) blocks.push('Work on this input: $ARGUMENTS\n');
  const clauses = random.chance(0.5) ? DASHED_CLAUSES : CLAUSES;
  let length = blocks.join('\n').length;
  while (length < target) {
    const block = writeBlock(random, clauses);
    if (length + block.length > 12_000) break;
    blocks.push(block);
    length += block.length + 1;
  }
  return blocks.join('\n');
}

function writeBlock(random: Random, clauses: readonly string[]): string {
  const kind = random.next();
  if (kind < 0.2) return `## ${random.pick(VERBS)} the ${random.pick(THINGS)}\n`;
  if (kind < 0.4) return `${times(random.between(3, 6), () => `- ${sentence(random, clauses)}`).join('\n')}\n`;
  if (kind < 0.5)
    return `${times(random.between(3, 5), (index) => `${index + 1}. ${sentence(random, clauses)}`).join('\n')}\n`;
  if (kind < 0.62) return `\`\`\`bash\n${times(3, () => command(random)).join('\n')}\n\`\`\`\n`;
  if (kind < 0.64) return '---\n';
  return `${times(random.between(2, 5), () => sentence(random, clauses)).join(' ')}\n`;
}

function sentence(random: Random, clauses: readonly string[]): string {
  return `${random.pick(clauses)}, then ${random.pick(VERBS)} the ${random.pick(TOPICS)} ${random.pick(THINGS)}.`;
}

function command(random: Random): string {
  return `python scripts/${random.pick(VERBS)}.py --${random.pick(TOPICS)} ${random.pick(THINGS)}.json`;
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

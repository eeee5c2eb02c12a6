import { skillHead, type SampleQueries } from './skill-files.ts';

export const TOOL_LANGUAGES = ['js', 'python', 'bash'] as const;
export type ToolLanguage = (typeof TOOL_LANGUAGES)[number];

/** The SKILL.md of a skill with a tool. */
export function diceSkill(name: string, toolName: string): string {
  return `${skillHead(name, DESCRIPTION)}
Never make up a roll. Call the tool \`${toolName}\` and report what it answers.

1. Find out how many dice and how many sides. "Roll a die" means one die with 6 sides, "2d20" two dice with 20.
2. Call \`${toolName}\` with \`count\` and \`sides\`.
3. Tell the user every roll and the total.
`;
}

const DESCRIPTION =
  'Roll dice. Use when the user asks to roll or throw dice or a die, or needs a random number for a game.';

export function diceManifest(toolName: string, script: string): string {
  const tool = {
    name: toolName,
    description: 'Roll dice. Returns every roll and the total.',
    script,
    parameters: {
      count: { type: 'integer', description: 'How many dice, from 1 to 100.' },
      sides: { type: 'integer', description: 'Sides of each die, from 2 to 1000.', optional: true, default: 6 },
    },
  };
  return `${JSON.stringify([tool], undefined, 2)}\n`;
}

/** The file that implements the tool. */
export function diceScript(language: ToolLanguage): {
  readonly path: string;
  readonly text: string;
  readonly isProgram: boolean;
} {
  return SCRIPTS[language];
}

const SCRIPTS = {
  js: {
    path: 'scripts/roll.js',
    isProgram: false,
    text: `// Receives the arguments, validated and with the defaults from tools.json. Its return value is the answer.
export function handler({ count, sides }) {
  check('count', count, 1, 100);
  check('sides', sides, 2, 1000);
  const rolls = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
  return { rolls, total: rolls.reduce((sum, roll) => sum + roll, 0) };
}

function check(name, value, least, most) {
  if (value < least || value > most) throw new RangeError(\`"\${name}" must be from \${least} to \${most}.\`);
}
`,
  },
  python: {
    path: 'scripts/roll.py',
    isProgram: false,
    text: `import random


def handler(args):
    """Receives the arguments, validated and with the defaults from tools.json. The return value is the answer."""
    count, sides = args["count"], args["sides"]
    check("count", count, 1, 100)
    check("sides", sides, 2, 1000)
    rolls = [random.randint(1, sides) for _ in range(count)]
    return {"rolls": rolls, "total": sum(rolls)}


def check(name, value, least, most):
    if not least <= value <= most:
        raise ValueError(f'"{name}" must be from {least} to {most}.')
`,
  },
  bash: {
    path: 'scripts/roll.sh',
    isProgram: true,
    text: `#!/usr/bin/env bash
# Receives the arguments as JSON on standard input, validated and with the defaults from tools.json.
# Its output is the answer.
set -euo pipefail
input=$(cat)

# The whole number of a parameter. For texts, use a JSON parser such as jq.
number() {
  local pattern="\\"$1\\":([0-9]+)[,}]"
  if [[ ! $input =~ $pattern ]] || ((\${#BASH_REMATCH[1]} > 4 || BASH_REMATCH[1] < $2 || BASH_REMATCH[1] > $3)); then
    echo "\\"$1\\" must be from $2 to $3." >&2
    exit 1
  fi
  echo "\${BASH_REMATCH[1]}"
}

count=$(number count 1 100)
sides=$(number sides 2 1000)
rolls=()
total=0
for ((i = 0; i < count; i++)); do
  roll=$((RANDOM % sides + 1))
  rolls+=("$roll")
  total=$((total + roll))
done
printf '{"rolls":[%s],"total":%d}\\n' "$(IFS=,; echo "\${rolls[*]}")" "$total"
`,
  },
} as const;

export const DICE_QUERIES: SampleQueries = {
  should: [
    'Roll two dice for me',
    'throw a die with 20 sides',
    'I need a random number from 1 to 6 for our board game',
    'Who starts the game? Roll for each of us',
  ],
  shouldNot: [
    'Convert this Word document to PDF',
    'How many rows does sales.csv have?',
    'Translate this letter into French',
    'Write release notes for version 2.1',
  ],
};

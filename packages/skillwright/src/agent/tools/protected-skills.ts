import type { CountTokens } from '../../select/listing/token-estimate.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';

/** How much of the loaded skills is kept when a history is made shorter. */
export interface ProtectOptions {
  /** Tokens for each skill. Default 5,000. */
  readonly perSkill?: number | undefined;
  /** Tokens for all of them. Default 25,000. */
  readonly total?: number | undefined;
}

export interface LoadedInstructions {
  readonly name: string;
  readonly text: string;
}

export interface ProtectedSkills {
  /** `''` where nothing is loaded. */
  readonly text: string;
  /** Names of the skills that are there with all they say. */
  readonly whole: ReadonlySet<string>;
}

const DEFAULT_PER_SKILL = 5_000;
const DEFAULT_TOTAL = 25_000;
const HEADING = 'Instructions of the skills that are loaded in this conversation:';
const CUT = '[The instructions go on. Load the skill again to read them whole.]';

/** The instructions of loaded skills within these bounds, in the order given. The first ones get the room there is. */
export function protectSkills(
  loaded: readonly LoadedInstructions[],
  options: ProtectOptions,
  countTokens: CountTokens,
): ProtectedSkills {
  const perSkill = positive('perSkill', options.perSkill) ?? DEFAULT_PER_SKILL;
  const total = positive('total', options.total) ?? DEFAULT_TOTAL;
  const whole = new Set<string>();
  const left: string[] = [];
  const sections: string[] = [];
  let room = total - countTokens(`${HEADING}\n\n`);
  for (const { name, text } of loaded) {
    const section = fitSection(name, text, (made) => countTokens(`${made}\n\n`) <= Math.min(perSkill, room));
    if (section === undefined) left.push(name);
    else {
      room -= countTokens(`${section.text}\n\n`);
      sections.push(section.text);
      if (section.isWhole) whole.add(name);
    }
  }
  const missing = left.length === 0 ? [] : [`Load these again when you need them: ${left.join(', ')}.`];
  const hasRoom = missing.every((line) => countTokens(line) <= room);
  const parts = [...sections, ...(hasRoom ? missing : [])];
  return { text: parts.length === 0 ? '' : [HEADING, ...parts].join('\n\n'), whole };
}

/** All of it, or as many whole lines from its start as fit; `undefined` where not one does. */
function fitSection(
  name: string,
  instructions: string,
  fits: (section: string) => boolean,
): { readonly text: string; readonly isWhole: boolean } | undefined {
  const heading = `## Skill: ${name}\n\n`;
  const text = instructions.trim();
  if (fits(heading + text)) return { text: heading + text, isWhole: true };
  const lines = text.split('\n');
  const beginning = (count: number): string => `${heading}${lines.slice(0, count).join('\n').trimEnd()}\n${CUT}`;
  let low = 0;
  let high = lines.length;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(beginning(middle))) low = middle;
    else high = middle;
  }
  return low === 0 ? undefined : { text: beginning(low), isWhole: false };
}

function positive(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 1)) return value;
  const message = `Option '${option}' must be a number of tokens from 1 up, not ${String(value).slice(0, 40)}.`;
  throw new SkillwrightError('InvalidOptions', message, { data: { option } });
}

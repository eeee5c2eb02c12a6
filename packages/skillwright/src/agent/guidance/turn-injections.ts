import type { InjectedSkills, TurnGuidance } from './turn-guidance.ts';

export interface InjectionPlan {
  /** What the person said; `''` where that is not known. */
  readonly words: string;
  /** Whether the skill that fits the task is added automatically. */
  readonly taskMatch: boolean;
  /** Skills that the step names. */
  readonly required: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * System text for each round of one turn of the person's: what the step requires, what the person asked for by name, what
 * fits the task, and what wants to be heard every time. A skill is in it once.
 */
export function planInjections(
  guidance: TurnGuidance,
  { words, taskMatch, required, signal }: InjectionPlan,
): (round: number, messages: readonly unknown[]) => Promise<string> {
  let opening: Promise<readonly InjectedSkills[]> | undefined;

  const open = async (): Promise<readonly InjectedSkills[]> => {
    const all: InjectedSkills[] = [];
    const without = (): readonly string[] => all.flatMap(({ skills }) => skills);
    if (required.length > 0) all.push(await guidance.forRequired(required, { signal }));
    if (words !== '') all.push(await guidance.forCommand(words, { without: without(), signal }));
    if (words !== '' && taskMatch) all.push(await guidance.forTask(words, { without: without(), signal }));
    return all;
  };

  return async (round, messages) => {
    opening ??= open();
    const begun = await opening;
    const without = begun.flatMap(({ skills }) => skills);
    const turn = await guidance.forTurn(round, messages, { without, signal });
    return [...begun, turn].flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n');
  };
}

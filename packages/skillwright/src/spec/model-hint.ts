import type { SkillMetadata } from './skill.ts';

/** Providers for which the Claude-specific `model` field is meant. */
const CLAUDE_PROVIDERS: ReadonlySet<string> = new Set(['claude', 'anthropic']);

/**
 * The model a skill asks for: for Claude its `model` field, for any other provider its entry in `model-hints`, then
 * their `default`. `undefined` means the host's own default; so does `inherit`.
 */
export function resolveModelHint(
  skill: Pick<SkillMetadata, 'model' | 'modelHints'>,
  provider: string,
): string | undefined {
  const wanted = provider.toLowerCase();
  if (CLAUDE_PROVIDERS.has(wanted)) return skill.model === 'inherit' ? undefined : skill.model;
  const hints = Object.entries(skill.modelHints ?? {});
  const hintFor = (name: string): string | undefined => hints.find(([key]) => key.toLowerCase() === name)?.[1];
  return hintFor(wanted) ?? hintFor('default');
}

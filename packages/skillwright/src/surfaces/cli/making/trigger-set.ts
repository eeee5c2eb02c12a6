/** Tasks that should and should not find a skill. */
export interface SampleQueries {
  readonly should: readonly [string, ...string[]];
  readonly shouldNot: readonly string[];
}

/** The same as a file that `skillwright eval` reads. */
export function triggerSet({ should, shouldNot }: SampleQueries): string {
  const lines = [
    ...should.map((query) => JSON.stringify({ query, should_trigger: true })),
    ...shouldNot.map((query) => JSON.stringify({ query, should_trigger: false })),
  ];
  return `[\n${lines.map((line) => `  ${line}`).join(',\n')}\n]\n`;
}

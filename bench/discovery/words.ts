/** The vocabulary for generated names, descriptions and bodies. */

export const VERBS: readonly string[] = words(`
  analyze audit build check clean compare convert debug deploy design draft extract fill format generate import
  index lint merge migrate monitor optimize parse plan publish refactor render review schedule search split
  summarize sync test trace translate validate write
`);

export const TOPICS: readonly string[] = words(`
  api azure billing browser calendar cloud contract customer data database docker email finance frontend git
  github graphql image invoice kubernetes legal log markdown mobile network notebook pdf postgres python react
  release research sales security slack spreadsheet sql support terraform typescript video web
`);

export const THINGS: readonly string[] = words(`
  archives assets changes charts comments configs dashboards diagrams documents errors events exports forms
  guides headers issues layouts metrics notes pages pipelines policies queries records reports routes schemas
  scripts slides snapshots tables tasks templates threads tickets tokens traces workflows
`);

/** Clauses of a description. None contains ": " or " #", so each is legal in a plain YAML scalar. */
export const CLAUSES: readonly string[] = [
  'Use when the user asks for help with it or mentions a related file',
  'Use this skill whenever someone says "can you take a look at this", even if they do not name the format',
  'Handles large inputs (up to a few thousand rows), mixed encodings, and missing values',
  'Works with CSV, JSON, XLSX, and plain text, with no extra setup',
  "Don't use it for one-off questions that the model can answer on its own",
  'Covers the whole workflow, from planning to a short written summary',
  'Triggers on phrases like "fix this", "why is it failing", or "make it faster"',
  'Produces a single reviewed file with sources, dates, and open questions (if any)',
  'Follows the conventions of the surrounding project, including naming, layout, and tests',
  'Includes ready-made templates, a checklist, and scripts for the repetitive parts',
  'Supports dry runs; nothing is written until the plan is confirmed',
  'Best for teams that keep their work in version control and review every change',
];

/**
 * All clauses, and further ones with typographic characters: one such character makes the whole file a two-byte string
 * in V8.
 */
export const DASHED_CLAUSES: readonly string[] = [
  ...CLAUSES,
  'Reads the input first — then asks only what it cannot find out',
  'From draft → review → release, with each step explained',
];

export const CJK_CLAUSES: readonly string[] = [
  '用于处理表格、合同和报告的技能，支持批量转换与校验',
  '当用户提到“导出”“汇总”或“对账”时使用此技能',
  'ドキュメントの要約と翻訳を行います。レビュー用の差分も作成します',
  'ユーザーがログの調査やエラーの原因を尋ねたときに使います',
  '데이터를 정리하고 보고서를 작성할 때 사용하는 스킬입니다',
];

export const TOOLS: readonly string[] = [
  'Read',
  'Write',
  'Edit',
  'Grep',
  'Glob',
  'Bash',
  'WebFetch',
  'WebSearch',
  'Bash(git:*)',
  'Bash(npm run test:*)',
];

export const LICENSES: readonly string[] = [
  'MIT',
  'Apache-2.0',
  'BSD-3-Clause',
  'Proprietary. LICENSE.txt has complete terms',
];

export const AUTHORS: readonly string[] = ['example-org', 'Ada Example', 'platform-team', 'jdoe', 'Søren Example'];

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

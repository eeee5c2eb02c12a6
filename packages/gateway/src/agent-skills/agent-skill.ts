export const AGENT_SKILL_CATEGORIES = ['api', 'cli'] as const;

/** `api`: the REST interface of a gateway. `cli`: the command line. */
export type AgentSkillCategory = (typeof AGENT_SKILL_CATEGORIES)[number];

/** A SKILL.md that teaches an agent one part of this product. */
export interface AgentSkill {
  /** The id of the document. Equals `name` and the name of the document's directory. */
  readonly id: string;
  readonly name: string;
  /** What the skill teaches and when to use it. */
  readonly description: string;
  readonly category: AgentSkillCategory;
  /** The group of operations or commands that the skill covers. */
  readonly area: string;
  /** Each operation (`listSkills`) or command (`list`) that it explains. */
  readonly covers: readonly string[];
  /** The whole document, including its frontmatter. */
  readonly content: string;
}

export interface AreaCoverage {
  readonly area: string;
  /** How many operations or commands exist. */
  readonly total: number;
  /** How many of these operations or commands the catalog explains. */
  readonly covered: number;
}

export interface CategoryCoverage {
  /** How many documents the catalog has. */
  readonly skills: number;
  readonly total: number;
  readonly covered: number;
  /** The operations or commands that no document explains. */
  readonly missing: readonly string[];
  readonly areas: readonly AreaCoverage[];
}

export type AgentSkillCoverage = Readonly<Record<AgentSkillCategory, CategoryCoverage>>;

export interface AgentSkillFilter {
  readonly category?: AgentSkillCategory | undefined;
  readonly area?: string | undefined;
}

/** The documents that teach agents this product. The catalog is built on first use and then kept. */
export interface AgentSkillCatalog {
  /** Every area, without duplicates. */
  readonly areas: readonly string[];
  /** Lists the documents in the order of the descriptions, `api` first. */
  list(filter?: AgentSkillFilter): readonly AgentSkill[];
  get(id: string): AgentSkill | undefined;
  coverage(): AgentSkillCoverage;
}

export const AGENT_SKILL_CATEGORIES = ['api', 'cli'] as const;

/** `api`: the REST interface of a gateway. `cli`: the command line. */
export type AgentSkillCategory = (typeof AGENT_SKILL_CATEGORIES)[number];

/** A SKILL.md that teaches an agent a part of this product. */
export interface AgentSkill {
  /** The same as `name`, which is also the directory that the document belongs into. */
  readonly id: string;
  readonly name: string;
  /** What it teaches and when it is of use. */
  readonly description: string;
  readonly category: AgentSkillCategory;
  /** The group of operations or of commands that it is about. */
  readonly area: string;
  /** Each operation (`listSkills`) or command (`list`) that it explains. */
  readonly covers: readonly string[];
  /** The whole document, frontmatter and all. */
  readonly content: string;
}

export interface AreaCoverage {
  readonly area: string;
  /** The operations or commands that there are. */
  readonly total: number;
  /** How many of them a document of the catalog explains. */
  readonly covered: number;
}

export interface CategoryCoverage {
  /** Documents. */
  readonly skills: number;
  readonly total: number;
  readonly covered: number;
  /** Those that no document explains. */
  readonly missing: readonly string[];
  readonly areas: readonly AreaCoverage[];
}

export type AgentSkillCoverage = Readonly<Record<AgentSkillCategory, CategoryCoverage>>;

export interface AgentSkillFilter {
  readonly category?: AgentSkillCategory | undefined;
  readonly area?: string | undefined;
}

/** The catalog. It is made when it is first asked for, and kept. */
export interface AgentSkillCatalog {
  /** Every area, each once. */
  readonly areas: readonly string[];
  /** In the order of the descriptions, `api` first. */
  list(filter?: AgentSkillFilter): readonly AgentSkill[];
  get(id: string): AgentSkill | undefined;
  coverage(): AgentSkillCoverage;
}

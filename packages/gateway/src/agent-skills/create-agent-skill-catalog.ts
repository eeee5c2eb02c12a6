import type { CommandLineDescription } from 'skillwright/commands';
import { createApiDocuments } from './api-documents.ts';
import { operationsOf, type ApiDescription } from './api-description.ts';
import {
  AGENT_SKILL_CATEGORIES,
  type AgentSkill,
  type AgentSkillCategory,
  type AgentSkillCoverage,
  type AgentSkillCatalog,
  type CategoryCoverage,
} from './agent-skill.ts';
import { createCliDocuments } from './cli-documents.ts';

export interface AgentSkillsOptions {
  /** Returns the document that `/openapi.json` serves. */
  readonly api: () => object;
  readonly commandLine: () => CommandLineDescription;
}

/** An operation or command, and the area it belongs to. */
interface Taught {
  readonly category: AgentSkillCategory;
  readonly area: string;
  readonly id: string;
}

interface Catalog {
  readonly skills: readonly AgentSkill[];
  readonly coverage: AgentSkillCoverage;
}

/**
 * Builds the catalog of documents that teach agents the REST interface and the command line. The documents are
 * generated from the OpenAPI description and from the description of the command line.
 */
export function createAgentSkillCatalog(options: AgentSkillsOptions): AgentSkillCatalog {
  let made: Catalog | undefined;
  const catalog = (): Catalog => (made ??= createCatalog(options));
  return {
    get areas() {
      return [...new Set(catalog().skills.map(({ area }) => area))];
    },
    list({ category, area } = {}) {
      return catalog().skills.filter(
        (skill) => (category ?? skill.category) === skill.category && (area ?? skill.area) === skill.area,
      );
    },
    get: (id) => catalog().skills.find((skill) => skill.id === id),
    coverage: () => catalog().coverage,
  };
}

function createCatalog({ api, commandLine }: AgentSkillsOptions): Catalog {
  const description = api() as ApiDescription;
  const commands = commandLine();
  const skills = [...createApiDocuments(description), ...createCliDocuments(commands, description.info.version)];
  const taught: readonly Taught[] = [
    ...operationsOf(description).map(({ operationId, area }) => ({ category: 'api', area, id: operationId }) as const),
    ...commands.groups.flatMap(({ name: area, commands: those }) =>
      those.map(({ name }) => ({ category: 'cli', area, id: name }) as const),
    ),
  ];
  const coverage = AGENT_SKILL_CATEGORIES.map((category) => [category, coverageOf(category, taught, skills)] as const);
  return { skills, coverage: Object.fromEntries(coverage) as unknown as AgentSkillCoverage };
}

function coverageOf(
  category: AgentSkillCategory,
  all: readonly Taught[],
  catalog: readonly AgentSkill[],
): CategoryCoverage {
  const taught = all.filter((one) => one.category === category);
  const skills = catalog.filter((skill) => skill.category === category);
  const isCovered = ({ area, id }: Taught): boolean =>
    skills.some((skill) => skill.area === area && skill.covers.includes(id));
  const areas = [...new Set(taught.map(({ area }) => area))].map((area) => {
    const here = taught.filter((one) => one.area === area);
    return { area, total: here.length, covered: here.filter(isCovered).length };
  });
  return {
    skills: skills.length,
    total: taught.length,
    covered: taught.filter(isCovered).length,
    missing: taught.filter((one) => !isCovered(one)).map(({ id }) => id),
    areas,
  };
}

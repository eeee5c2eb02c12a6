import { resolve } from 'node:path';
import { createDynamicTools, type DynamicTools, type NameOwner } from '../../agent/dynamic-tools/dynamic-tools.ts';
import {
  createSkillsView,
  DEFAULT_MAX_TOOLS,
  type SkillsView,
  type ViewOptions,
} from '../../agent/offer/skills-view.ts';
import type { AgentSession } from '../../agent/session/agent-session.ts';
import { isReservedName } from '../../agent/offer/meta-tools.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isGlob } from '../../policy/visibility/glob.ts';
import {
  type AgentSkills,
  assertChoice,
  chooseSkills,
  type SkillChoiceOptions,
} from '../../policy/visibility/skill-choice.ts';
import type { Runtime } from '../../runtime.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { Logger } from '../../spec/events/logger.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import type { OfferedTools } from '../../wire/calls/offered-tools.ts';
import { wireFormat } from '../../wire/format.ts';
import type { SkillsProviderOptions } from './provider-options.ts';

/** What models are shown: now, and in each conversation that has begun. */
export interface ProviderViews {
  /** The view for conversations that begin now. */
  readonly current: SkillsView;
  readonly dynamic: DynamicTools | undefined;
  of(session: AgentSession | undefined): SkillsView;
  /** Fixes the view for a conversation that begins. */
  pin(session: AgentSession, view: SkillsView): void;
  /** Updates the current view after a discovery. */
  show(snapshot: Snapshot): void;
  definitions(session: AgentSession | undefined): readonly ToolDefinition[];
  /** The definitions in a provider's shape. The caller may change the returned value. */
  encoded<Format extends keyof OfferedTools>(format: Format, session: AgentSession | undefined): OfferedTools[Format][];
}

/** Room for tools beyond those of tools.json files: meta-tools, and some that models define. */
const ROOM_BESIDE = 20;

export function createProviderViews(
  first: Snapshot,
  { logger, runChecks, ...options }: SkillsProviderOptions & Pick<Runtime, 'logger' | 'runChecks'>,
): ProviderViews {
  const pinned = new WeakMap<AgentSession, SkillsView>();
  const encodings = new WeakMap<readonly ToolDefinition[], Map<keyof OfferedTools, readonly unknown[]>>();
  const dynamic = openDynamicTools();
  const isRemoved = (directory: string): boolean => dynamic?.isRemoved(directory) === true;
  const checkRun: ViewOptions['checkRun'] = (record) => runChecks.known(record, 'model');
  const see = (snapshot: Snapshot, isFirst = false): SkillsView => {
    // The options apply to shadowed skills too, so that a qualified name does not get around them.
    const chosen = chooseSkills(everySkill(snapshot), options);
    // Check only the first time: a skill that is missing later may have been removed, which is not the program's
    // mistake.
    if (isFirst) assertFirstChoice(chosen, snapshot, { ...options, logger });
    const view = createSkillsView(snapshot, { chosen, ranks: () => true }, { ...options, isRemoved, checkRun });
    if (view.withheld.length > 0)
      logger.warn(
        `${view.withheld.length} skill tools are not offered to the model, because there are more than maxTools.`,
        {
          tools: view.withheld.map(({ name }) => name),
        },
      );
    return view;
  };
  let current = see(first, true);
  const viewOf = (session: AgentSession | undefined): SkillsView =>
    (session === undefined ? undefined : pinned.get(session)) ?? current;

  function openDynamicTools(): DynamicTools | undefined {
    const { dynamicTools, cwd = '.', maxTools = DEFAULT_MAX_TOOLS } = options;
    if (dynamicTools === undefined) return undefined;
    return createDynamicTools({
      dir: dynamicTools.dir === undefined ? undefined : resolve(cwd, dynamicTools.dir),
      maxOffered: maxTools + ROOM_BESIDE,
      offered: (session) => viewOf(session).tools.length,
      ownerOf: (name, session) => nameOwner(name, viewOf(session)),
      refusalOf: ({ record, tool }, approve) => runChecks.refusalOf(record, tool.name, approve),
      onRemove(directory, session) {
        const has = ({ snapshot }: SkillsView): boolean => snapshot.skills.some(({ baseDir }) => baseDir === directory);
        if (has(current)) current = see(current.snapshot);
        if (session !== undefined && has(viewOf(session))) pinned.set(session, see(viewOf(session).snapshot));
      },
    });
  }

  const definitions: ProviderViews['definitions'] = (session) =>
    dynamic === undefined ? viewOf(session).tools : [...viewOf(session).tools, ...dynamic.definitions(session)];

  return {
    get current() {
      return current;
    },
    dynamic,
    of: viewOf,
    pin: (session, view) => void pinned.set(session, view),
    show(snapshot) {
      dynamic?.refreshed((directory) => snapshot.skills.some(({ baseDir }) => baseDir === directory));
      current = see(snapshot);
    },
    definitions,
    encoded<Format extends keyof OfferedTools>(format: Format, session: AgentSession | undefined) {
      const tools = definitions(session);
      const known = encodings.get(tools) ?? new Map<keyof OfferedTools, readonly unknown[]>();
      encodings.set(tools, known);
      const made = known.get(format) ?? wireFormat(format).encodeTools(tools);
      known.set(format, made);
      return structuredClone(made) as OfferedTools[Format][];
    },
  };
}

function nameOwner(name: string, view: SkillsView): NameOwner | undefined {
  if (isReservedName(name)) return { what: 'a built-in tool' };
  const skill = view.ownerOf(name);
  return skill === undefined ? undefined : { what: `a tool of skill '${skill.name}'`, directory: skill.baseDir };
}

/**
 * At the start, a choice that is surely a mistake throws an error: a name that matches nothing, or an `include` that
 * matches no existing skill. If one glob of several matches nothing, that is a warning.
 */
function assertFirstChoice(
  chosen: AgentSkills,
  snapshot: Snapshot,
  { include = [], exclude = [], logger }: SkillChoiceOptions & { readonly logger: Logger },
): void {
  const [unknown] = chosen.unknown;
  const unread = snapshot.diagnostics.find(({ code }) => code === 'root-missing' || code === 'root-unreadable');
  if (unknown !== undefined && unread !== undefined) {
    const message = `Option '${unknown.option}' names the skill '${unknown.name}', which was not found. ${unread.message}`;
    throw new SkillwrightError('InvalidOptions', message, { data: { option: unknown.option, skill: unknown.name } });
  }
  assertChoice(chosen, snapshot.skills);
  const skills = everySkill(snapshot);
  if (include.length > 0 && skills.length > 0 && skills.every((skill) => chosen.leftOut(skill) === 'not-included'))
    throw new SkillwrightError(
      'InvalidOptions',
      `Option 'include' matches none of the ${skills.length} skills: ${include.join(', ')}.`,
      { data: { option: 'include' } },
    );
  for (const [option, entries] of Object.entries({ include, exclude }))
    for (const glob of entries.filter(isGlob))
      if (fitsNone(glob, skills))
        logger.warn(`Option '${option}' has a pattern that matches no skill: ${glob}.`, { option, glob });
}

function everySkill({ skills, shadowed }: Snapshot): SkillMetadata[] {
  return [...skills, ...shadowed.map(({ skill }) => skill)];
}

function fitsNone(glob: string, skills: readonly SkillMetadata[]): boolean {
  const alone = chooseSkills(skills, { include: [glob] });
  return skills.every((skill) => alone.leftOut(skill) !== undefined);
}

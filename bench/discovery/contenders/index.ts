/** A way to find skills. Its module exports `discover(dir)`, which returns the number of skills found. */
export interface Contender {
  id: string;
  label: string;
  kind: 'baseline' | 'ours' | 'peer';
  module: URL;
  /** A note for readers of its row. */
  note: string;
  /** Discovers once before anything is measured, so that its cache is filled. */
  isPrepared?: boolean;
}

const here = (file: string): URL => new URL(file, import.meta.url);

export const OWN_CONTENDERS: readonly Contender[] = [
  {
    id: 'w',
    label: 'W (walk + 4 KB)',
    kind: 'baseline',
    module: here('walk.ts'),
    note: 'the yardstick; parses nothing',
  },
  {
    id: 'js-yaml',
    label: 'js-yaml on all',
    kind: 'baseline',
    module: here('js-yaml.ts'),
    note: "W's walk, whole files",
  },
  { id: 'skillwright', label: 'skillwright', kind: 'ours', module: here('skillwright.ts'), note: 'discoverSync()' },
  {
    id: 'skillwright-async',
    label: 'skillwright async',
    kind: 'ours',
    module: here('skillwright-async.ts'),
    note: 'discover()',
  },
  {
    id: 'skillwright-warm',
    label: 'skillwright warm',
    kind: 'ours',
    module: here('skillwright-warm.ts'),
    note: 'discoverSync() with an index cache',
    isPrepared: true,
  },
];

const peer = (id: string, label: string, note: string): Contender => ({
  id,
  label,
  kind: 'peer',
  module: here(`../peers/${id}.mjs`),
  note,
});

/** Other projects' loaders, each called as its documentation or types show. */
export const PEERS: readonly Contender[] = [
  peer('openskills', 'openskills 1.5.0', 'CLI only: its `list`, in process; one level; a regex, no YAML'),
  peer('deepagents', 'deepagents 1.14.1', 'listSkills(); one level'),
  peer('google-adk', '@google/adk 2.0.0', 'loadAllSkillsInDir(); nested; reads resources too'),
  peer('mastra-core', '@mastra/core 1.71.0', 'Workspace.skills.list(); one level; reads resources too'),
  peer('bash-tool', 'bash-tool 1.3.19', 'experimental_createSkillTool(); one level; reads every file'),
  peer('skills-ref', 'skills-ref 0.1.5', "readProperties() per folder; no lister, so W's walk"),
];

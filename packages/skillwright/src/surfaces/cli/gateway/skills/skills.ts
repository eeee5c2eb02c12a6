import { printAnswer, type Invocation } from '../../command.ts';
import { asWritten } from '../../../../select/evaluation/words.ts';
import { percentOf } from '../../choosing/skill-ranking.ts';
import { section, type Output } from '../../output.ts';
import { factTable, renderTable, rowTable, type RowColumn } from '../../text/table.ts';
import { toLine, wrapText } from '../../text/terminal-text.ts';
import { pageQuery, printPage } from '../answers.ts';
import type { RestAnswers, Skill, SkillDetails } from '../client/rest-types.ts';
import { shortId } from '../find-id.ts';
import { runAction, type ActionRequest, type GatewayActions } from '../run-action.ts';
import { findSkill } from './find-skill.ts';
import { change, disable, enable, install, remove } from './skills-change.ts';

const MAX_DESCRIPTION = 1000;

/** The table shows ids from this width on. */
const WIDE = 120;

const ACTIONS: GatewayActions = {
  list: { words: [], run: list },
  show: { words: ['<skill>'], run: show },
  enable: { words: ['<skill>'], run: enable },
  disable: { words: ['<skill>'], run: disable },
  set: { words: ['<skill>', '<name=value…>'], run: change },
  remove: { words: ['<skill>'], run: remove },
  install: { words: ['<file>'], run: install },
  match: { words: ['<text…>'], run: match },
};

/** Skills of a gateway. */
export function run(invocation: Invocation): Promise<number> {
  return runAction('skills', ACTIONS, invocation);
}

async function list({ invocation, client }: ActionRequest): Promise<number> {
  const { output, options } = invocation;
  const page = await client.get<RestAnswers['listSkills']>('/api/skills', {
    q: options.text('query'),
    mode: options.text('mode'),
    source: options.text('source'),
    ...pageQuery(invocation),
  });
  return printPage(invocation, page, { noun: 'skill', rows: page.skills, columns: columnsFor(output) });
}

async function show({ invocation, client, words }: ActionRequest): Promise<number> {
  const { id } = await findSkill(client, words[0] ?? '');
  const skill = await client.get<RestAnswers['getSkill']>(`/api/skills/${encodeURIComponent(id)}`);
  return printAnswer(invocation, skill, () => skillDetails(invocation.output, skill));
}

type Match = RestAnswers['matchSkills']['skills'][number];

async function match({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, options } = invocation;
  const limit = options.text('limit');
  const text = words.join(' ');
  const found = await client.send<RestAnswers['matchSkills']>('POST', '/api/skills/match', {
    text,
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  });
  const wordsOf = ({ reasons }: Match): string =>
    [...new Set(reasons.flatMap(({ terms }) => asWritten(terms, text)))].join(', ');
  const columns: readonly RowColumn<Match>[] = [
    { heading: 'SKILL', style: 'name', maxWidth: 48, cell: ({ name, version }) => `${name}@${version}` },
    {
      heading: 'FITS',
      cell: ({ reasons, mode, confidence }) => (reasons.length === 0 ? mode : percentOf(confidence)),
    },
    { heading: 'WORDS', cell: wordsOf },
  ];
  const next = (found.cut?.next ?? []).map(({ sentence }) => output.style('dim', toLine(sentence)));
  return printAnswer(invocation, found, () => [
    ...(found.skills.length === 0 ? ['No skill fits.'] : rowTable(output, columns, found.skills)),
    ...next,
  ]);
}

function columnsFor(output: Output): readonly RowColumn<Skill>[] {
  const id: RowColumn<Skill> = { heading: 'ID', style: 'dim', maxWidth: 12, cell: (skill) => shortId(skill.id) };
  return [
    { heading: 'SKILL', style: 'name', maxWidth: 48, cell: ({ name, version }) => `${name}@${version}` },
    { heading: 'MODE', cell: ({ mode }) => mode },
    { heading: 'POLICY', cell: ({ policy }) => policy },
    { heading: 'KIND', style: 'dim', cell: ({ kind }) => kind },
    {
      heading: 'KEY',
      style: 'dim',
      maxWidth: 12,
      cell: ({ apiKeyId }) => (apiKeyId === null ? 'all' : shortId(apiKeyId)),
    },
    ...(output.columns >= WIDE ? [id] : []),
    { heading: 'DESCRIPTION', cell: ({ description }) => description.slice(0, MAX_DESCRIPTION) },
  ];
}

/** All details of one skill. */
function skillDetails(output: Output, skill: SkillDetails): string[] {
  const facts = [
    ['Id', skill.id],
    ['Mode', skill.mode],
    ['Policy', skill.policy],
    ['Kind', skill.handler === null ? skill.kind : `${skill.kind} (${skill.handler})`],
    ['Source', skill.sourceProvider],
    ['Key', skill.apiKeyId ?? 'all'],
    ['Tags', skill.tags.join(', ') || 'none'],
    ['Timeout', skill.timeoutMs === null ? 'default' : `${skill.timeoutMs} ms`],
    ['Retries', skill.retries === null ? 'default' : String(skill.retries)],
    ['Adds', skill.adds === null ? 'nothing' : `${skill.adds.bytes} bytes to a request that it fits`],
    ['Versions', skill.versions.map(({ version, mode }) => `${version} (${mode})`).join(', ')],
  ];
  return [
    output.style('heading', toLine(`${skill.name}@${skill.version}`)),
    ...wrapText(toLine(skill.description), output.proseColumns),
    '',
    ...factTable(output, facts),
    ...namedSection(
      output,
      'Tools',
      skill.tools.map(({ name, description }) => [name, description]),
    ),
    ...namedSection(
      output,
      'Files',
      skill.files.map(({ path, size }) => [path, `${size} bytes`]),
    ),
    ...namedSection(
      output,
      'Problems',
      skill.diagnostics.map(({ code, severity, message }) => [code, `${severity}: ${message}`]),
    ),
  ];
}

function namedSection(output: Output, title: string, rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map((cell) => toLine(cell.slice(0, MAX_DESCRIPTION))));
  return section(output, title, renderTable(output, [{ style: 'name', maxWidth: 40 }, {}], cells, { indent: 2 }));
}

import { asWritten } from '../../../../select/evaluation/words.ts';
import type { Invocation } from '../../command.ts';
import type { RestAnswers } from '../client/rest-types.ts';
import { findSkill } from './find-skill.ts';
import { pageQuery, pageText } from '../client/page-query.ts';
import { runAction, type ActionRequest, type GatewayActions } from '../run-action.ts';
import { registeredSkillLines, registeredSkillTable } from './skill-lines.ts';
import { renderTable } from '../../text/table.ts';
import { toLine } from '../../text/terminal-text.ts';
import { change, disable, enable, install, remove } from './skills-change.ts';

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
  const { output, options, globals } = invocation;
  const page = await client.get<RestAnswers['listSkills']>('/api/skills', {
    q: options.text('query'),
    mode: options.text('mode'),
    source: options.text('source'),
    ...pageQuery(invocation),
  });
  if (globals.json) output.json(page);
  else {
    if (page.skills.length > 0) output.lines([...registeredSkillTable(output, page.skills), '']);
    output.line(pageText({ ...page, data: page.skills }, 'skill'));
  }
  return 0;
}

async function show({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals } = invocation;
  const { id } = await findSkill(client, words[0] ?? '');
  const skill = await client.get<RestAnswers['getSkill']>(`/api/skills/${encodeURIComponent(id)}`);
  if (globals.json) output.json(skill);
  else output.lines(registeredSkillLines(output, skill));
  return 0;
}

async function match({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, options, globals } = invocation;
  const limit = options.text('limit');
  const text = words.join(' ');
  const found = await client.send<RestAnswers['matchSkills']>('POST', '/api/skills/match', {
    text,
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  });
  if (globals.json) output.json(found);
  else if (found.skills.length === 0) output.line('No skill fits.');
  else {
    const rows = found.skills.map(({ name, version, mode, confidence, reasons }) => [
      toLine(`${name}@${version}`),
      reasons.length === 0 ? mode : `${Math.round(confidence * 100)} %`,
      toLine([...new Set(reasons.flatMap(({ terms }) => asWritten(terms, text)))].join(', ')),
    ]);
    const columns = [
      { heading: 'SKILL', style: 'name', maxWidth: 48 },
      { heading: 'FITS' },
      { heading: 'WORDS' },
    ] as const;
    output.lines(renderTable(output, columns, rows));
  }
  return 0;
}

import { PROGRAM } from '../../../../spec/program.ts';
import { amount } from '../../validating/findings.ts';
import type { Output } from '../../output.ts';
import { toLine, wrapText } from '../../text/terminal-text.ts';
import { realModelHint } from '../chat-model.ts';
import type { ChatSession } from '../chat-session.ts';

/** The lines before the first prompt: the model and its skills. */
export function openingLines(output: Output, session: ChatSession): string[] {
  const { skills } = session;
  const dim = (text: string): string[] => wrapText(text, output.proseColumns).map((line) => output.style('dim', line));
  return [
    ...modelLines(output, session),
    ...dim(skills.length === 0 ? NO_SKILLS : `${skillsNote(session)} /skills lists them, /help lists all commands.`),
    '',
  ];
}

/** Names the model, and makes clear when it is only the demo. */
export function modelLines(output: Output, { model }: ChatSession): string[] {
  if (model.client.isDemo !== true) return wrapText(`You are talking to ${toLine(model.name)}.`, output.proseColumns);
  return [
    ...wrapText(DEMO, output.proseColumns).map((line) => output.style('warning', line)),
    ...wrapText(realModelHint(), output.proseColumns).map((line) => output.style('dim', line)),
  ];
}

function skillsNote({ skills }: ChatSession): string {
  const strangers = skills.filter(({ trust }) => trust !== 'trusted').length;
  const asked = strangers === 0 ? '' : ` The program asks you before an untrusted one (${strangers}) runs anything.`;
  return `${amount(skills.length, 'skill')}.${asked}`;
}

const DEMO =
  "The demo model is rule-based, not a language model. It picks a skill and makes the calls that the skill's instructions show.";
const NO_SKILLS = `No skills were found here. ${PROGRAM} list shows the searched directories, and --skills <directory> adds one.`;

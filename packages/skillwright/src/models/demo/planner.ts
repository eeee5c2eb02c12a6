import { type Candidate, candidatesOf, chooseCandidate, toolCandidates } from './candidates.ts';
import { callKey, correctedCall, type ToolUse } from './correction.ts';
import type { Conversation, ConversationResult } from './formats/conversation.ts';
import { isRecord, type JsonRecord, listOf, parseRecord, textOf } from './formats/json-values.ts';
import type { PlannedTurn } from './formats/spoken-turn.ts';
import { type Progress, readProgress, type Step } from './progress.ts';
import { chooseSkill, givenSkill, type OfferedSkill, offeredSkills, readListing } from './skills.ts';
import { readInstructions } from './task/instructions.ts';
import { readTask, readTasks, type Task } from './task/task.ts';
import { fittingTool, isMeantBefore, tellTools } from './tools.ts';

/** The beginning of an error text that models are shown. */
const FAILED = /^(?:Error: |Tool call (?:to \S{1,200} )?failed\b)/;
const MAX_SHOWN = 3_000;
const MAX_ITEMS = 20;

/** The parts of a conversation that the planner uses. */
export type PlannedConversation = Pick<Conversation, 'system' | 'messages' | 'tools' | 'userText'>;

/** The most calls for one user message. */
const MAX_CALLS = 6;
const INTRODUCTION = 'This is a demo that follows rules, not a language model. ';
const SKILLS_NAMED = 5;

interface Plan {
  readonly conversation: PlannedConversation;
  readonly task: Task;
  readonly progress: Progress;
}

/**
 * Plans the demo's next turn: choose a skill, load it, make the call that its instructions show, and report the result.
 * Pure: the same conversation gives the same turn.
 */
export function planDemoTurn(conversation: PlannedConversation): PlannedTurn {
  const progress = readProgress(conversation);
  const plans = likelyPlans(conversation, progress);
  const [first] = plans;
  const turns = plans.map((plan) => nextTurn(plan));
  const usual = { conversation, task: readTask(conversation.userText), progress };
  const turn = turns.find(({ calls }) => calls !== undefined) ?? nextTurn(first ?? usual);
  return progress.hasSpoken ? turn : { ...turn, text: INTRODUCTION + (turn.text ?? '') };
}

/** If the message has several readings, one plan for each reading that leads to a call. */
function likelyPlans(conversation: PlannedConversation, progress: Progress): readonly Plan[] {
  const tasks = readTasks(conversation.userText);
  const plans = tasks.length === 1 ? [] : tasks.map((task) => ({ conversation, task, progress }));
  return plans.filter((plan) => {
    const { calls = [] } = begin({ ...plan, progress: { ...progress, steps: [] } });
    return calls.some(({ name }) => name !== 'search_skills');
  });
}

function nextTurn(plan: Plan): PlannedTurn {
  const { steps, loaded } = plan.progress;
  const last = steps.at(-1);
  if (last === undefined) return begin(plan);
  if (last.result === undefined)
    return say(`The call of ${titleOf(last)} was not answered, so there is nothing to report.`);
  if (isFailure(last.result)) return recover(plan, last, describeResult(last.result, titleOf(last)));
  if (last.name === 'search_skills') return chooseFrom(plan, readListing(last.result.text));
  if (last.name !== 'load_skill') return say(describeResult(last.result, titleOf(last)));
  const skill = textOf(last.arguments.skill);
  return follow(plan, skill, loaded.get(skill) ?? last.result.text);
}

function begin(plan: Plan): PlannedTurn {
  const { task, conversation } = plan;
  if (conversation.userText.trim() === '') return say('There is no task. Say in a sentence what you want.');
  // If the user names a tool, no skill is needed.
  const named = toolCandidates(task.words, conversation.tools, task);
  if (named.length > 0) return callBest(plan, named, 'Your words');
  const skills = offeredSkills(conversation);
  const given = skills.length === 0 ? givenSkill(conversation.system) : undefined;
  return given === undefined ? chooseFrom(plan, skills) : follow(plan, given.name, given.text);
}

function chooseFrom(plan: Plan, skills: readonly OfferedSkill[]): PlannedTurn {
  const { task, progress, conversation } = plan;
  const hasTool = (name: string): boolean => conversation.tools.some((tool) => tool.name === name);
  const chosen = chooseSkill(task, skills);
  const searched = progress.steps.some(({ name }) => name === 'search_skills');
  const tool = fittingTool(task, conversation.tools);
  if (tool !== undefined && (chosen === undefined || isMeantBefore(tool, chosen, task)))
    return call(plan, tool, `The tool \`${tool.name}\` fits your task, so I call it.`);
  if (chosen === undefined && hasTool('search_skills') && !searched) {
    const query = task.words.slice(0, 200);
    return call(plan, { name: 'search_skills', arguments: { query } }, 'No listed skill fits, so I search for others.');
  }
  if (chosen === undefined) return say(noSkill(skills, tellTools(conversation.tools)));
  const earlier = progress.loaded.get(chosen.name);
  if (earlier !== undefined) return follow(plan, chosen.name, earlier);
  if (!hasTool('load_skill')) {
    return say(`The skill \`${chosen.name}\` fits, but this request offers no \`load_skill\` to read it with.`);
  }
  const load = { name: 'load_skill', arguments: { skill: chosen.name } };
  return call(plan, load, `The skill \`${chosen.name}\` fits your task, so I load its instructions.`);
}

function noSkill(skills: readonly OfferedSkill[], tools: string): string {
  if (skills.length === 0 && tools !== '') return `No skill is offered to me. ${tools}`;
  if (skills.length === 0) return 'No skill is offered to me, so there is nothing that I can do for you.';
  const names = skills.slice(0, SKILLS_NAMED).map(({ name }) => `\`${name}\``);
  const more = skills.length > SKILLS_NAMED ? ` and ${skills.length - SKILLS_NAMED} more` : '';
  return `No skill fits your task. There are ${names.join(', ')}${more}. ${tools}`.trimEnd();
}

/** Makes the call that the instructions show for the task. */
function follow(plan: Plan, skill: string, text: string): PlannedTurn {
  const { task, conversation } = plan;
  const instructions = readInstructions(skill, text);
  return callBest(plan, candidatesOf(instructions, conversation.tools, task), `The instructions of \`${skill}\``);
}

function callBest(plan: Plan, candidates: readonly Candidate[], origin: string): PlannedTurn {
  const choice = chooseCandidate(candidates, plan.task);
  if (choice.type === 'none')
    return say(`${origin} show no call that rules can make; a language model would read and follow them.`);
  const { title, missing } = choice.candidate;
  if (choice.type === 'call') return call(plan, choice.candidate, `${origin} lead to the ${title}, so I call it.`);
  const lacking = missing.map((name) => `\`${name}\``).join(', ');
  return say(
    `${origin} lead to the ${title}, which needs ${lacking}, and your message does not give that. ` +
      'Put texts in quotes, and write dates as YYYY-MM-DD.',
  );
}

/** Makes the call that an error shows, once. A second failure is reported. */
function recover(plan: Plan, failed: Step, failure: string): PlannedTurn {
  const { progress, task, conversation } = plan;
  const failures = progress.steps.filter(({ result }) => result !== undefined && isFailure(result));
  const made = new Set(progress.steps.map(callKey));
  const corrected = failures.length > 1 ? undefined : correctedCall(failed, conversation.tools, { task, made });
  if (corrected === undefined) return say(failure);
  return call(plan, corrected, `${failure.split('\n')[0] ?? ''} The error shows a correct call, so I make that one.`);
}

/** Makes a call, unless the same call was already made for this message or the message has had `MAX_CALLS` calls. */
function call({ progress: { steps } }: Plan, { name, arguments: values }: ToolUse, text: string): PlannedTurn {
  const isRepeated = steps.some((step) => callKey(step) === callKey({ name, arguments: values }));
  if (isRepeated) return say(`I have made this call of \`${name}\` before, and stop here.`);
  if (steps.length >= MAX_CALLS) return say(`I stop here: I make at most ${MAX_CALLS} calls for a message.`);
  return { text, calls: [{ name, arguments: values }] };
}

function say(text: string): PlannedTurn {
  return { text };
}

function titleOf({ name, arguments: values }: Step): string {
  if (name !== 'use_skill') return `tool \`${name}\``;
  return values.tool === undefined ? `script \`${textOf(values.script)}\`` : `tool \`${textOf(values.tool)}\``;
}

/** Whether a tool failed: formats without an error flag say so in the text. */
function isFailure({ text, isError }: ConversationResult): boolean {
  const value = parseRecord(text);
  if (isError || value?.success === false || FAILED.test(text)) return true;
  return value !== undefined && Object.keys(value).join() === 'error';
}

/** Describes a tool's result in words. */
function describeResult(result: ConversationResult, title: string): string {
  const value = parseRecord(result.text);
  if (isFailure(result)) return describeFailure(result.text, value, title);
  if (value !== undefined && typeof value.stdout === 'string') return printed(`The ${title} printed`, value.stdout);
  if (value !== undefined) return `The ${title} answered ${cut(describeRecord(value))}`;
  return printed(`The ${title} answered`, result.text);
}

function describeFailure(text: string, value: JsonRecord | undefined, title: string): string {
  const reason = textOf(value?.error) || (value === undefined ? text : '') || 'it gave no reason';
  const output = [textOf(value?.stdout), textOf(value?.stderr)].filter((part) => part.trim() !== '').join('\n');
  const said = `The ${title} did not succeed: ${cut(reason)}`;
  return output === '' ? said : `${said}\n\n${printed('It printed', output)}`;
}

function printed(said: string, output: string): string {
  const text = output.trimEnd();
  if (text.trim() === '') return `${said} nothing.`;
  if (!text.includes('\n') && text.length <= 200) return `${said}: ${text}`;
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${said}:\n\n${fence}\n${cut(text)}\n${fence}`;
}

/** Renders plain fields as one sentence, and a list of objects with one line each. */
function describeRecord(value: JsonRecord): string {
  const lists = Object.entries(value).filter(([, item]) => isListOfRecords(item));
  const plain = Object.entries(value).filter(([, item]) => !isListOfRecords(item));
  const lines = lists.flatMap(([name, items]) => [
    '',
    `${name}:`,
    ...listOf(items)
      .slice(0, MAX_ITEMS)
      .map((item) => `- ${fieldsOf(Object.entries(item as JsonRecord))}`),
    ...(listOf(items).length > MAX_ITEMS ? [`- … and ${listOf(items).length - MAX_ITEMS} more`] : []),
  ]);
  return [plain.length === 0 ? '' : `${fieldsOf(plain)}.`, ...lines].join('\n').trimStart();
}

function isListOfRecords(value: unknown): boolean {
  return listOf(value).length > 0 && listOf(value).every(isRecord);
}

function fieldsOf(fields: readonly (readonly [string, unknown])[]): string {
  return fields.map(([name, value]) => `${name}: ${isPlain(value) ? value : JSON.stringify(value)}`).join(', ');
}

/** A text that needs no quotes within a sentence. */
function isPlain(value: unknown): value is string {
  return typeof value === 'string' && /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u.test(value);
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}

import { onTestFinished } from 'vitest';
import {
  createScriptedModel,
  type Conversation,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../packages/skillwright/src/testing/index.ts';

export const DONE = "Done. Sent 'Hello World' to #dev.";

/** The specification's example: load the skill, list the channels, send to the found channel, report it. */
function discordTurn({ results }: Conversation): ScriptedTurn {
  const [result] = results;
  if (result === undefined) {
    return { reasoning: 'Discord is a skill.', calls: [{ name: 'load_skill', arguments: { skill: 'discord' } }] };
  }
  if (result.name === 'load_skill') {
    return result.text.includes('discord.mjs channels list') ? useDiscord('channels', 'list') : unexpected(result.text);
  }
  if (result.text.includes('"error"')) return unexpected(result.text);
  if (result.text.includes('Sent to #dev')) return { text: DONE };
  const channel = /(\d+) {2}#dev/.exec(result.text)?.[1];
  return channel === undefined ? unexpected(result.text) : useDiscord('send', 'Hello World', `--channel=${channel}`);
}

function useDiscord(...args: string[]): ScriptedTurn {
  return { calls: [{ name: 'use_skill', arguments: { skill: 'discord', script: 'discord.mjs', args } }] };
}

function unexpected(text: string): ScriptedTurn {
  return { text: `I did not expect: ${text}` };
}

/** A model that plays the example, after the turns of `first` if given; closed at the end of the running test. */
export async function startDiscordModel(first?: ScriptedTurn): Promise<ScriptedModel> {
  const respond = (conversation: Conversation): ScriptedTurn =>
    first !== undefined && conversation.index === 0 ? first : discordTurn(conversation);
  const model = await createScriptedModel({ respond });
  onTestFinished(() => model.close());
  return model;
}

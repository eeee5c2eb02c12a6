import type { Invocation } from '../command.ts';
import { openSkills } from '../finding/locations.ts';
import { joinWords, toBlock } from '../text/terminal-text.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { output, positionals, globals } = invocation;
  const [name = '', ...args] = positionals;
  const { manager } = openSkills(invocation);
  const { metadata, content, processedContent } = await manager.invokeSkill(name, joinWords(args));
  if (globals.json) {
    output.json({
      skill: metadata.name,
      content,
      processedContent,
      baseDir: metadata.baseDir,
      allowedTools: metadata.allowedTools ?? [],
    });
    return 0;
  }
  // Programs get every byte. At a terminal, a skill's text must not move the cursor or set the title.
  const text = output.isTty ? toBlock(processedContent) : processedContent;
  output.exact(text.endsWith('\n') ? text : `${text}\n`);
  return 0;
}

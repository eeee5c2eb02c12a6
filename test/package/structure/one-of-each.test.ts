import { describe, expect, it } from 'vitest';
import { readBehaviour } from './source-files.ts';

const files = readBehaviour();

/** The files of both packages whose code matches, except those of `testing`, which imitate providers. */
function filesWith(pattern: RegExp): string[] {
  return files
    .filter(
      ({ path, text }) => !path.includes('/testing/') && pattern.test(text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')),
    )
    .map(({ path }) => path.replace(/^.*\/src\//, ''))
    .toSorted();
}

describe('the code has one', () => {
  it('turn loop: one file creates the turn engine, and one sends requests to models', () => {
    expect(filesWith(/\bcreateTurnEngine\(/)).toEqual(['agent/turn/drive-turn.ts', 'agent/turn/turn-engine.ts']);
    expect(filesWith(/\bmodel\.send\(/)).toEqual(['agent/turn/ask-model.ts']);
    expect(
      filesWith(/\bappendTurn\(/).filter((path) => !path.startsWith('wire/') && !path.startsWith('spec/')),
    ).toEqual(['agent/turn/turn-engine.ts']);
  });

  it('dispatcher: one file passes calls of skills to the runner', () => {
    // Calls that a program or user makes by name, without a model.
    const asked = ['faces/manager/skill-manager.ts', 'executions/create-executor.ts'];
    // Runners that wrap another runner.
    const wrapping = ['executions/requests/model-runner.ts', 'surfaces/cli/serving/mcp.ts'];
    expect(
      filesWith(/\brunner\.(?:runScript|callTool)\(/).filter((path) => ![...asked, ...wrapping].includes(path)),
    ).toEqual(['agent/tools/toolset.ts']);
    expect(filesWith(/\bcreateToolset\(/).filter((path) => !path.startsWith('faces/'))).toEqual([
      'agent/tools/toolset.ts',
    ]);
  });
});

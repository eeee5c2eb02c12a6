import { loadAllSkillsInDir, LogLevel, setLogLevel } from '@google/adk';

// Its warning about each skill it drops costs time; without them it is at its best.
setLogLevel(LogLevel.ERROR);

export async function discover(dir) {
  return Object.keys(await loadAllSkillsInDir(dir)).length;
}

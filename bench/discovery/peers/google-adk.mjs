import { loadAllSkillsInDir, LogLevel, setLogLevel } from '@google/adk';

// Its warning about each dropped skill costs time; without warnings it is at its best.
setLogLevel(LogLevel.ERROR);

export async function discover(dir) {
  return Object.keys(await loadAllSkillsInDir(dir)).length;
}

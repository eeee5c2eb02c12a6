import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { SkillSourceKind } from '../spec/skill.ts';
import type { SkillCandidate, SkillFiles } from '../spec/source.ts';
import { DirectoryFiles } from './directory-files.ts';

type DirectoryCandidateFacts = Omit<SkillCandidate, 'type' | 'source' | 'plugin' | 'directoryName' | 'readHead' | 'files'>;

/** A skill found in a directory. */
export class DirectoryCandidate implements SkillCandidate {
  readonly type = 'candidate' as const;
  readonly source: SkillSourceKind;
  readonly plugin: SkillCandidate['plugin'];
  readonly filePath: string;
  readonly baseDir: string;
  readonly realFile: string;
  readonly behindLink: boolean;
  readonly directoryName: string;
  readonly groups: readonly string[];
  readonly head: Uint8Array;
  readonly headLength: number;
  readonly complete: boolean;
  readonly oversized: boolean;
  readonly hasToolsFile: boolean;
  readonly hasScripts: boolean;

  constructor(source: SkillSourceKind, plugin: SkillCandidate['plugin'], facts: DirectoryCandidateFacts) {
    this.source = source;
    this.plugin = plugin;
    this.filePath = facts.filePath;
    this.baseDir = facts.baseDir;
    this.realFile = facts.realFile;
    this.behindLink = facts.behindLink;
    this.directoryName = basename(facts.baseDir);
    this.groups = facts.groups;
    this.head = facts.head;
    this.headLength = facts.headLength;
    this.complete = facts.complete;
    this.oversized = facts.oversized;
    this.hasToolsFile = facts.hasToolsFile;
    this.hasScripts = facts.hasScripts;
  }

  get files(): SkillFiles {
    return new DirectoryFiles(this.baseDir, this.directoryName, this.realFile);
  }

  readHead(maxBytes: number): Uint8Array {
    const descriptor = openSync(this.filePath, 'r');
    try {
      const bytes = Buffer.allocUnsafe(maxBytes);
      let filled = 0;
      for (let count = -1; count !== 0 && filled < maxBytes; filled += count) {
        count = readSync(descriptor, bytes, filled, maxBytes - filled, filled);
      }
      return bytes.subarray(0, filled);
    } finally {
      closeSync(descriptor);
    }
  }
}

import { DatabaseSync } from 'node:sqlite';
import type { Build } from './contender.ts';

/** SQLite's full-text index with its Porter stemmer and BM25, the columns weighted like our fields. */
export const build: Build = (skills) => {
  const database = new DatabaseSync(':memory:');
  database.exec(
    "CREATE VIRTUAL TABLE skills USING fts5(id UNINDEXED, name, description, tags, body, tokenize = 'porter unicode61')",
  );
  const insert = database.prepare('INSERT INTO skills VALUES (?, ?, ?, ?, ?)');
  database.exec('BEGIN');
  for (const { id, name, description, tags, body } of skills) {
    insert.run(id, name, description, (tags ?? []).join(' '), body ?? '');
  }
  database.exec('COMMIT');
  const select = database.prepare(
    'SELECT id, bm25(skills, 0, 2, 1, 1.5, 0.3) AS rank FROM skills WHERE skills MATCH ? ORDER BY rank LIMIT ?',
  );
  const { pages } = database
    .prepare('SELECT page_count * page_size AS pages FROM pragma_page_count(), pragma_page_size()')
    .get() as {
    pages: number;
  };
  return {
    hiddenBytes: pages,
    search(task, limit) {
      const words = new Set(task.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
      if (words.size === 0) return [];
      const query = [...words].map((word) => `"${word}"`).join(' OR ');
      const rows = select.all(query, limit) as { id: string; rank: number }[];
      return rows.map(({ id, rank }) => ({ id, strength: -rank }));
    },
  };
};

import { readFileSync, readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createSkillTree, type SkillTree } from '../support/skill-tree.ts';
import { runScript, type ScriptResult } from './skill-script.ts';

function shop(): SkillTree {
  const tree = createSkillTree({
    'text.db': 'This is no database, but a text of some length.'.repeat(100),
    'folder/': '',
  });
  const database = new DatabaseSync(tree.path('shop.db'));
  database.exec(`
    CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, total REAL, big INTEGER, data BLOB);
    INSERT INTO orders VALUES (1, 'open', 9.5, 9007199254740993, x'00ff'), (2, 'it''s; paid', 20, NULL, NULL);
    CREATE VIEW open_orders AS SELECT id FROM orders WHERE status = 'open';
    CREATE VIEW broken AS SELECT * FROM gone;
    CREATE TABLE "odd ""name" (x);
  `);
  database.close();
  return tree;
}

function query(tree: SkillTree, ...args: string[]): ScriptResult {
  return runScript('database-query/scripts/query.mjs', args, tree.root);
}

describe('database-query', () => {
  it('shows tables, views and columns, including broken ones', () => {
    const { status, stdout, stderr } = query(shop(), '--schema', 'shop.db');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'view broken',
      'table odd "name (0 rows)',
      '  x',
      'view open_orders',
      '  id INTEGER',
      'table orders (2 rows)',
      '  id INTEGER (primary key)',
      '  status TEXT',
      '  total REAL',
      '  big INTEGER',
      '  data BLOB',
      '',
    ]);
  });

  it('prints rows as a table, and as JSON', () => {
    const tree = shop();
    expect(query(tree, 'shop.db', 'SELECT id, status, big FROM orders ORDER BY id').stdout.split('\n')).toEqual([
      'id  status      big',
      '1   open        9007199254740993',
      "2   it's; paid  NULL",
      '',
      '2 rows',
      '',
    ]);
    expect(JSON.parse(query(tree, '--json', 'shop.db', 'SELECT id, id, big, data, total FROM orders').stdout)).toEqual({
      columns: ['id', 'id', 'big', 'data', 'total'],
      rows: [
        [1, 1, '9007199254740993', '[binary, 2 bytes]', 9.5],
        [2, 2, null, null, 20],
      ],
      row_count: 2,
      truncated: false,
    });
  });

  it.each([
    ['["open", 5]', 'SELECT id FROM orders WHERE status = ? AND total > ?', [[1]]],
    [`["it's; paid"]`, "SELECT id FROM orders WHERE status = ? -- 'a ? in a comment'", [[2]]],
    ['{"status":"open"}', 'SELECT id FROM orders WHERE status = :status', [[1]]],
    ['[true, null]', 'SELECT ?, ?, \'?;\' AS "a ? b"', [[1, null, '?;']]],
  ])('binds values in %s', (params, sql, rows) => {
    const { stdout, stderr } = query(shop(), '--json', '--params', params, 'shop.db', sql);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ rows });
  });

  it('stops at a number of rows, and shortens long texts', () => {
    const tree = shop();
    const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n;';
    expect(query(tree, '--limit', '3', 'shop.db', endless).stdout).toBe(
      'x\n1\n2\n3\n\nStopped after 3 rows: there are more.\n',
    );
    const long = JSON.parse(query(tree, '--json', 'shop.db', "SELECT printf('%.*c', 100000, 'x')").stdout) as {
      rows: string[][];
    };
    expect(long.rows[0]?.[0]).toHaveLength(2_001);
    expect(
      query(tree, 'shop.db', "SELECT 'a' || char(10) || printf('%.*c', 1000, 'x') AS t").stdout.length,
    ).toBeLessThan(200);
  });

  it.each([
    ['DELETE FROM orders', /only statements that read/],
    ["ATTACH 'other.db' AS other", /only statements that read/],
    ["VACUUM INTO 'copy.db'", /only statements that read/],
    ['PRAGMA writable_schema = 1', /only statements that read/],
    ['WITH x AS (SELECT 1) INSERT INTO orders (id) SELECT 9 FROM x', /readonly/],
    ['SELECT 1; DROP TABLE orders', /only one statement/],
    ['SELECT 1 /* ; */; -- end\n DROP TABLE orders', /only one statement/],
    ["SELECT load_extension('x')", /not authorized|no such function/],
    ['', /empty/],
    [' ; ', /empty/],
    ['SELECT', /incomplete input|syntax error/],
    ["SELECT 'never closed", /unrecognized token/],
    ['SELECT gone FROM orders', /no such column: gone/],
  ])('rejects %j, and changes nothing', (sql, message) => {
    const tree = shop();
    const before = readFileSync(tree.path('shop.db'));
    const { status, stdout, stderr } = query(tree, 'shop.db', sql);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
    expect(readFileSync(tree.path('shop.db')).equals(before)).toBe(true);
    expect(readdirSync(tree.root).toSorted()).toEqual(['folder', 'shop.db', 'text.db']);
  });

  it.each([
    [['--params', '["a"]', 'shop.db', 'SELECT 1'], /has 0 values to fill in, and --params gives 1/],
    [['shop.db', 'SELECT ?'], /has 1 values to fill in, and --params gives 0/],
    [['--params', '{"a":1}', 'shop.db', 'SELECT ?'], /must be a JSON array/],
    [['--params', '[1]', 'shop.db', 'SELECT :a'], /must be a JSON object with: a/],
    [['--params', '{"b":1}', 'shop.db', 'SELECT :a'], /lacks: a/],
    [['--params', '{"a":1,"b":1}', 'shop.db', 'SELECT :a'], /has no: b/],
    [['--params', '{"a":1}', 'shop.db', 'SELECT :a, ?'], /either \? or :name/],
    [['--params', '[1]', 'shop.db', 'SELECT ?1'], /without a number/],
    [['--params', '[[1]]', 'shop.db', 'SELECT ?'], /value number 1 must be/],
    [['--params', 'open', 'shop.db', 'SELECT ?'], /--params needs JSON/],
    [['--limit', '0', 'shop.db', 'SELECT 1'], /--limit needs/],
    [['gone.db', 'SELECT 1'], /no file gone\.db/],
    [['folder', 'SELECT 1'], /folder is not a file/],
    [['text.db', 'SELECT * FROM x'], /not a database/],
    [['--schema', 'text.db'], /not a database/],
    [['shop.db'], /expected a file and one statement/],
    [['--schema', 'shop.db', 'SELECT 1'], /expected a file, got 2/],
  ])('rejects %j', (args, message) => {
    const { status, stdout, stderr } = query(shop(), ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

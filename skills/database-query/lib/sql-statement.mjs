const READING = new Set(['SELECT', 'WITH', 'VALUES', 'EXPLAIN']);

/** Comments, strings and quoted names, whole words, parameters, and single characters. */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|\?\d*|[:@$][\w]+|[\w$]+|\s+|[\s\S]/g;

/** Checks a statement before SQLite sees it: SQLite itself would ignore a second statement and bind nulls. */
export function readStatement(sql) {
  const tokens = (sql.match(TOKEN) ?? []).filter((token) => !/^(?:--|\/\*|\s)/.test(token));
  const end = tokens.indexOf(';');
  if (end !== -1 && tokens.slice(end).some((token) => token !== ';'))
    throw new Error('only one statement at a time can be run');
  const [first = ''] = tokens;
  if (first === '' || first === ';') throw new Error('the statement is empty');
  if (!READING.has(first.toUpperCase()))
    throw new Error(`only statements that read can be run (${[...READING].join(', ')}), not ${first.slice(0, 40)}`);
  const marks = tokens.filter((token) => /^(?:\?\d*|[:@$]\w+)$/.test(token));
  // Releases of Node.js interpret numbered parameters differently.
  if (marks.some((mark) => /^\?\d/.test(mark))) throw new Error('write ? without a number, or :name');
  const names = marks.filter((mark) => mark !== '?').map((mark) => mark.slice(1));
  return { positions: marks.length - names.length, names: [...new Set(names)] };
}

/** The values for a statement, as arguments of `iterate`. */
export function bindValues({ positions, names }, params) {
  if (positions > 0 && names.length > 0) throw new Error('use either ? or :name in a statement, not both');
  if (names.length > 0) return [namedValues(names, params)];
  const values = params ?? [];
  if (!Array.isArray(values)) throw new Error('the values must be a JSON array: the statement has no :name');
  if (values.length !== positions)
    throw new Error(`the statement has ${positions} values to fill in, and --params gives ${values.length}`);
  return values.map((value, index) => toValue(value, `number ${index + 1}`));
}

function namedValues(names, params) {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new Error(`the values must be a JSON object with: ${names.join(', ')}`);
  const given = Object.keys(params);
  const missing = names.filter((name) => !Object.hasOwn(params, name));
  const unknown = given.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`--params lacks: ${missing.join(', ')}`);
  if (unknown.length > 0) throw new Error(`the statement has no: ${unknown.join(', ')}`);
  return Object.fromEntries(names.map((name) => [name, toValue(params[name], name)]));
}

function toValue(value, name) {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`the value ${name} must be a text, a number, true, false or null`);
}

const MAX_NAME = 512;

/**
 * Whether a text can be the name of a model. Some formats put the name into a path, where a name such as `..` would
 * lead elsewhere.
 */
export function isModelName(text: string): boolean {
  if (text === '' || text.length > MAX_NAME || /\p{Cc}/u.test(text) || text.trim() !== text) return false;
  return text.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Whether a name matches a pattern in which `*` stands for any text. Takes linear time. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [start = '', ...others] = pattern.split('*');
  const end = others.pop();
  if (end === undefined) return pattern === name;
  if (name.length < start.length + end.length || !name.startsWith(start) || !name.endsWith(end)) return false;
  let from = start.length;
  for (const part of others) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= name.length - end.length;
}

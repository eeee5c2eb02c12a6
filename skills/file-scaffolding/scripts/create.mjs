#!/usr/bin/env node
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';

const DEFAULT_DIRECTORY = 'src/components';
const TEMPLATE = new URL('../references/vue-component.vue', import.meta.url);
const MAX_PROPS = 50;

const USAGE = `Usage: create.mjs [--props LIST] [--dry-run] <ComponentName> [directory]

Creates a Vue component in a directory of the working directory, default ${DEFAULT_DIRECTORY}, and prints its path.
Exits with 0 if the file was created, 1 if it already exists, 2 for any other problem.

  --props LIST   such as title:string,age?:number
  --dry-run      print the file instead of writing it
  --help         print this text`;

class UsageError extends Error {}
class ExistsError extends Error {}

async function main(argv) {
  const { values, positionals } = readOptions(argv);
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  if (positionals.length < 1 || positionals.length > 2)
    throw new UsageError(`expected a name and a directory, got ${positionals.length} arguments`);
  const [name, directory = DEFAULT_DIRECTORY] = positionals;
  assertName(name);
  const content = fillTemplate(await readFile(TEMPLATE, 'utf8'), name, readProps(values.props));
  const target = await placeOf(directory, `${name}.vue`, process.cwd());
  if (values['dry-run']) {
    process.stdout.write(`${target.shown} would be:\n\n${content}`);
    return;
  }
  await mkdir(dirname(target.path), { recursive: true });
  await writeNew(target, content);
  process.stdout.write(`Created ${target.shown}\n`);
}

function readOptions(argv) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        props: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (cause) {
    throw new UsageError(cause.message, { cause });
  }
}

function assertName(name) {
  if (!/^[A-Z][A-Za-z0-9]{1,79}$/.test(name))
    throw new UsageError(`"${name}" is not a PascalCase name of letters and digits, such as UserCard`);
  if (!/[a-z0-9][A-Z]/.test(name))
    throw new UsageError(`"${name}" is one word, which HTML may have an element of; use two, such as User${name}`);
}

function readProps(given) {
  if (given === undefined || given.trim() === '') return [];
  const props = given.split(',').map(readProp);
  if (props.length > MAX_PROPS) throw new UsageError(`${props.length} props are more than ${MAX_PROPS}`);
  const repeated = props.find(({ name }, index) => props.findIndex((other) => other.name === name) !== index);
  if (repeated !== undefined) throw new UsageError(`the prop "${repeated.name}" is given twice`);
  return props;
}

function readProp(text) {
  const [, name, optional, type] =
    /^\s*([a-z][A-Za-z0-9]{0,79})(\??)\s*:\s*([\w\s.|'"[\]]{1,200}?)\s*$/.exec(text) ?? [];
  if (name === undefined)
    throw new UsageError(`"${text.trim()}" is not a prop; write name:type or name?:type, such as title:string`);
  return { name, optional, type };
}

function fillTemplate(template, name, props) {
  const kebab = name.replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2').toLowerCase();
  const lines = props.map(({ name: prop, optional, type }) => `  ${prop}${optional}: ${type};\n`).join('');
  const declared = props.length === 0 ? '' : `defineProps<{\n${lines}}>();\n`;
  return template
    .replace('defineProps<{}>();\n', () => declared)
    .replaceAll('component-name', kebab)
    .replaceAll('ComponentName', name);
}

/** The file below the working directory, with links resolved as far as the path exists. */
async function placeOf(directory, file, root) {
  if (directory.includes('\0') || isAbsolute(directory))
    throw new UsageError(`the directory must be relative to the working directory, not "${directory}"`);
  const path = resolve(root, directory, file);
  const shown = relative(root, path);
  const real = await realParent(dirname(path));
  if (!isInside(path, root) || !isInside(real, await realpath(root)))
    throw new UsageError(`"${directory}" leaves the working directory`);
  return { path, shown: shown.split(sep).join('/') };
}

function isInside(inner, outer) {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

async function realParent(path) {
  try {
    return await realpath(path);
  } catch (error) {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await realParent(dirname(path)), path.slice(dirname(path).length));
  }
}

async function writeNew({ path, shown }, content) {
  let isOurs = false;
  try {
    // Fails if anything has that name, including a dangling link.
    await writeFile(path, '', { flag: 'wx' });
    isOurs = true;
    await writeFile(path, content, { flag: 'r+' });
  } catch (cause) {
    if (isOurs) await rm(path, { force: true });
    if (cause.code === 'EEXIST')
      throw new ExistsError(`${shown} is there already and was left as it is; read it, or choose another name`, {
        cause,
      });
    throw new Error(`cannot write ${shown}: ${cause.code ?? cause.message}`, { cause });
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`create.mjs: ${error.message}${error instanceof UsageError ? `\n\n${USAGE}` : ''}`);
  process.exitCode = error instanceof ExistsError ? 1 : 2;
}

import { splitShellWords } from '../shell-words.ts';

/** The values of the variables that a skill may use. A variable without a value stays unchanged. */
export interface SkillVariables {
  /** The value of `${CLAUDE_SKILL_DIR}` and `{baseDir}`. */
  readonly skillDir: string;
  /** The value of `${CLAUDE_PLUGIN_ROOT}`. */
  readonly pluginRoot?: string | undefined;
  /** The value of `${CLAUDE_SESSION_ID}`. */
  readonly sessionId?: string | undefined;
  /** The value of `${CLAUDE_PROJECT_DIR}`. */
  readonly projectDir?: string | undefined;
}

export interface SubstitutionOptions {
  /** The raw arguments of the call. White space alone counts as no arguments. Default none. */
  readonly arguments?: string | undefined;
  /** Names of the arguments in order, for `$name`. Default none. */
  readonly names?: readonly string[] | undefined;
  /** Whether `$0`, `$1` … are placeholders: the skill declares `arguments` or `argument-hint`. Default false. */
  readonly positional?: boolean | undefined;
  readonly variables: SkillVariables;
}

/**
 * Matches every possible placeholder, with the backslash or dollar that escapes it. Word boundaries are ASCII:
 * `$ARGUMENTSX` and `$ARGUMENTS_X` are other identifiers, but text in scripts without spaces may follow directly. Each
 * branch is linear: no two of its loops can match the same character. `${baseDir}` is not matched, because it is a
 * template in other languages.
 */
const PLACEHOLDER =
  /(\\|\$(?=\$ARGUMENTS(?!\w)))?(?:\$ARGUMENTS(?!\w)(?:\[(\d+)\])?|\$(0|[1-9]\d*)(?!\w)|\$([\p{L}_][\p{L}\p{M}\p{N}_-]*)|\$\{(CLAUDE_[A-Z_]+)\}|(?<!\$)\{(baseDir)\})/gu;

const MAX_NAME_LENGTH = 64;

/** Limits the total number of inserted characters: a few bytes of placeholders must not become gigabytes. */
const MAX_INSERTED = 8_388_608;

/**
 * Inserts arguments and variables into a skill's text in one pass: inserted text is never substituted again. Arguments
 * without a placeholder are appended. An index without an argument stays unchanged; `$N` is then prose (`$25`) and does
 * not count as a placeholder. At most 8 Mi characters are inserted (any one value fits once); placeholders beyond that
 * stay unchanged.
 */
export function substituteArguments(content: string, options: SubstitutionOptions): string {
  const given = options.arguments?.trim() ? options.arguments : '';
  const words = splitShellWords(given);
  const names = new Map((options.names ?? []).map((name, index) => [name, index] as const).reverse());
  const variables = variableValues(options.variables);
  let isPlaced = false;
  let inserted = 0;

  const text = content.replace(
    PLACEHOLDER,
    (
      token: string,
      escape?: string,
      index?: string,
      position?: string,
      run?: string,
      variable?: string,
      base?: string,
    ) => {
      const written = escape === undefined ? token : token.slice(1);
      const put = (value: string, isArgument: boolean): string => {
        if (escape !== undefined || (inserted > 0 && inserted + value.length > MAX_INSERTED)) return written;
        inserted += value.length;
        isPlaced ||= isArgument;
        return value;
      };

      const named = variable ?? base;
      if (named !== undefined) {
        const value = variables.get(named);
        return value === undefined ? token : put(value, false);
      }
      if (position !== undefined) {
        if (options.positional !== true) return token;
        const word = words[Number(position)];
        return word === undefined ? written : put(word, true);
      }
      if (run !== undefined) {
        const name = declaredName(run, names);
        return name === undefined ? token : put((words[names.get(name) ?? -1] ?? '') + run.slice(name.length), true);
      }
      return put(index === undefined ? given : (words[Number(index)] ?? written), true);
    },
  );
  return given === '' || isPlaced ? text : `${text}\n\nARGUMENTS: ${given}`;
}

function variableValues(variables: SkillVariables): ReadonlyMap<string, string | undefined> {
  return new Map([
    ['baseDir', variables.skillDir],
    ['CLAUDE_SKILL_DIR', variables.skillDir],
    ['CLAUDE_PLUGIN_ROOT', variables.pluginRoot],
    ['CLAUDE_SESSION_ID', variables.sessionId],
    ['CLAUDE_PROJECT_DIR', variables.projectDir],
  ]);
}

/** The longest declared name that starts `run` and ends at a word boundary. */
function declaredName(run: string, names: ReadonlyMap<string, number>): string | undefined {
  if (names.size === 0) return undefined;
  for (let length = Math.min(run.length, MAX_NAME_LENGTH); length > 0; length -= 1) {
    if (/\w/.test(run.charAt(length))) continue;
    const name = run.slice(0, length);
    if (names.has(name)) return name;
  }
  return undefined;
}

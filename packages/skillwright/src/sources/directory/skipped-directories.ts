/** Directories that never hold skills or their content. */
export const SKIPPED_DIRECTORIES: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.venv']);

/** Not searched for skills, but a skill may be called so: a SKILL.md right inside still counts. */
export const OUTPUT_DIRECTORIES: ReadonlySet<string> = new Set(['dist', 'build']);

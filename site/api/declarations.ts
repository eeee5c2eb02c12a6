import ts from 'typescript';

export interface Declaration {
  readonly kind: 'class' | 'function' | 'constant' | 'type';
  /** The text of the comment above it. */
  readonly comment: string;
  /** Without bodies and private members. */
  readonly code: string;
}

interface Declarations {
  find(path: string, source: string, name: string): Declaration;
}

/** Reads declarations from sources in which every exported type is explicit, as `isolatedDeclarations` demands. */
export function createDeclarations(): Declarations {
  const files = new Map<string, ts.SourceFile>();
  const fileOf = (path: string, source: string): ts.SourceFile => {
    const known = files.get(path);
    if (known !== undefined) return known;
    const compilerOptions = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext };
    const { outputText } = ts.transpileDeclaration(source, { fileName: path, compilerOptions });
    const file = ts.createSourceFile(path, outputText, ts.ScriptTarget.ESNext, true);
    files.set(path, file);
    return file;
  };
  return {
    find: (path, source, name) => {
      const file = fileOf(path, source);
      const statements = file.statements.filter((statement) => namesOf(statement).includes(name));
      const [first] = statements;
      if (first === undefined) throw new Error(`${path} declares no '${name}'.`);
      return { kind: kindOf(statements), comment: commentOf(first), code: statements.map(codeOf).join('\n') };
    },
  };
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : ''));
  const { name } = statement as Partial<ts.DeclarationStatement>;
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

function kindOf(statements: readonly ts.Statement[]): Declaration['kind'] {
  if (statements.some(ts.isClassDeclaration)) return 'class';
  if (statements.some(ts.isFunctionDeclaration)) return 'function';
  return statements.some(ts.isVariableStatement) ? 'constant' : 'type';
}

function commentOf(statement: ts.Statement): string {
  const comment = ts.getJSDocCommentsAndTags(statement).findLast(ts.isJSDoc);
  if (comment === undefined) return '';
  const lines = comment
    .getText()
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n');
  return lines
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
}

function codeOf(statement: ts.Statement): string {
  const text = statement
    .getText()
    .replace(/^export /, '')
    .replace(/^declare /, '');
  return text
    .replaceAll(/^ +(?:#private|private [^\n]*);\n/gm, '')
    .replaceAll(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2));
}

import path from 'node:path';
import ts from 'typescript';

/** A source file, and where the names that stand in it come from. */
export interface ParsedModule {
  source: ts.SourceFile;
  declared: Map<string, ts.Node>;
  /** The file of the tests that a name is imported from. */
  imported: Map<string, string>;
}

/** @param read the text of a file, by its path in the checkout */
export function parseModule(file: string, read: (file: string) => string): ParsedModule {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022);
  const parsed: ParsedModule = { source, declared: new Map(), imported: new Map() };
  for (const statement of source.statements) noteNames(statement, parsed);
  return parsed;
}

function noteNames(statement: ts.Statement, { source, declared, imported }: ParsedModule): void {
  if (ts.isFunctionDeclaration(statement) && statement.name) declared.set(statement.name.text, statement);
  if (ts.isVariableStatement(statement))
    for (const { name, initializer } of statement.declarationList.declarations)
      if (ts.isIdentifier(name) && initializer) declared.set(name.text, initializer);
  if (!ts.isImportDeclaration(statement)) return;
  const from = (statement.moduleSpecifier as ts.StringLiteral).text;
  const names = statement.importClause?.namedBindings;
  if (!from.startsWith('.') || !names || !ts.isNamedImports(names)) return;
  const file = `${path.posix.join(path.posix.dirname(source.fileName), from)}.ts`;
  if (file.startsWith('test/')) for (const { name } of names.elements) imported.set(name.text, file);
}

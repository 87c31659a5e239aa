import ts from 'typescript';
import { escaped } from './escaped';
import type { ParsedModule } from './parsed-module';

const ANYTHING = '.+';

/**
 * What the tables of `test.each` may fill into a title, as regular expressions: every text, number and name that stands in
 * them, or in what they are made of; anything where they are computed.
 */
export function valuesIn(
  tables: readonly ts.Node[],
  module: ParsedModule,
  moduleOf: (file: string) => ParsedModule,
): string[] {
  const values = new Set<string>();
  const seen = new Set<ts.Node>();
  const visit = (node: ts.Node, within: ParsedModule): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const value = valueOf(node);
    if (value) values.add(value);
    if (ts.isIdentifier(node)) {
      const from = within.imported.get(node.text);
      const home = from ? moduleOf(from) : within;
      const declared = home.declared.get(node.text);
      if (declared && !ts.isFunctionLike(declared)) visit(declared, home);
    }
    ts.forEachChild(node, (child) => visit(child, within));
  };
  for (const table of tables) visit(table, module);
  const isComputed = ![...values].some((value) => /\w/.test(value));
  return isComputed ? [ANYTHING] : [...values];
}

function valueOf(node: ts.Node): string | undefined {
  if (ts.isTemplateExpression(node))
    return [node.head, ...node.templateSpans.map(({ literal }) => literal)]
      .map(({ text }) => escaped(text))
      .join(ANYTHING);
  if (ts.isObjectLiteralElementLike(node) && node.name && ts.isIdentifier(node.name))
    return escaped(node.name.text);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return 'true';
  if (node.kind === ts.SyntaxKind.FalseKeyword) return 'false';
  return ts.isStringLiteralLike(node) || ts.isNumericLiteral(node) ? escaped(node.text) : undefined;
}

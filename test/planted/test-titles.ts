import ts from 'typescript';
import { escaped } from './escaped';
import { type ParsedModule, parseModule } from './parsed-module';
import { valuesIn } from './table-values';

/** A title as it stands in the source. */
interface Title {
  /** What stands in it as it is; between two of these a table or a variable fills something in. */
  texts: string[];
  /** All of it, as a regular expression. */
  pattern: string;
}

type TitleText = ts.StringLiteralLike | ts.TemplateExpression;
const isText = (title: ts.Expression): title is TitleText =>
  ts.isStringLiteralLike(title) || ts.isTemplateExpression(title);

const DEFINES_TESTS = new Set(['describe', 'it', 'nightlyTest', 'scaledTest', 'slowTest', 'test']);
const FILLED_IN = /%[sdifjop#]|\$[\w.]+/;
const AS_DATA = /%[jop]/;

/** The titles of tests, as the sources of their files have them. */
export class TestTitles {
  private readonly modules = new Map<string, ParsedModule>();
  private readonly titles = new Map<string, Title[][]>();

  /** @param read the text of a file, by its path in the checkout */
  constructor(private readonly read: (file: string) => string) {}

  /**
   * Whether a name is part of the full title of a test of the file. Where the name holds what a table fills in, it is
   * the whole title, with or without those of the `describe`s around it.
   */
  has(file: string, name: string): boolean {
    const titles = this.titles.get(file) ?? this.titlesIn(this.moduleOf(file));
    this.titles.set(file, titles);
    return titles.some((title) => isIn(name, title)) || titles.some((title) => isWhole(name, title));
  }

  private readonly moduleOf = (file: string): ParsedModule => {
    const known = this.modules.get(file) ?? parseModule(file, this.read);
    this.modules.set(file, known);
    return known;
  };

  /** Each behind those around it. */
  private titlesIn(module: ParsedModule): Title[][] {
    const found: Title[][] = [];
    const visit = (node: ts.Node, outer: Title[]): void => {
      const own = ts.isCallExpression(node) ? this.titleOf(node, module) : undefined;
      const titles = own ? [...outer, own] : outer;
      if (own) found.push(titles);
      ts.forEachChild(node, (child) => visit(child, titles));
    };
    visit(module.source, []);
    return found;
  }

  private titleOf(call: ts.CallExpression, module: ParsedModule): Title | undefined {
    const [title] = call.arguments;
    const { name, tables } = calleeOf(call);
    if (!title || !isText(title) || !name || !this.definesTests(name, module)) return undefined;
    const values = tables ? valuesIn(tables, module, this.moduleOf) : [];
    return read(title, values);
  }

  /** So does a function of the tests whose first parameter is called `title`. */
  private definesTests(name: string, module: ParsedModule): boolean {
    if (DEFINES_TESTS.has(name)) return true;
    const from = module.imported.get(name);
    const declared = (from ? this.moduleOf(from) : module).declared.get(name);
    if (!declared || !ts.isFunctionLike(declared)) return false;
    const [first] = declared.parameters;
    return !!first && ts.isIdentifier(first.name) && first.name.text === 'title';
  }
}

/** Of `test(...)` its name, and of `test.each(ROWS)(...)` that and its tables. */
function calleeOf({ expression: callee }: ts.CallExpression): { name?: string; tables?: readonly ts.Node[] } {
  if (ts.isIdentifier(callee)) return { name: callee.text };
  if (!ts.isCallExpression(callee) || !ts.isPropertyAccessExpression(callee.expression)) return {};
  const { expression: of, name: each } = callee.expression;
  return ts.isIdentifier(of) && each.text === 'each' ? { name: of.text, tables: callee.arguments } : {};
}

/** @param values patterns of what a table may fill in */
function read(title: TitleText, values: string[]): Title {
  if (ts.isTemplateExpression(title)) {
    const texts = [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)];
    return { texts, pattern: texts.map(escaped).join('.+') };
  }
  if (values.length === 0) return { texts: [title.text], pattern: escaped(title.text) };
  const texts = title.text.split(FILLED_IN);
  const value = AS_DATA.test(title.text) ? '.+' : `(?:${values.join('|')})`;
  return { texts, pattern: texts.map(escaped).join(value) };
}

function isIn(name: string, titles: Title[]): boolean {
  const pieces = titles.map(({ texts }) => texts.join('\0')).join(' ');
  return pieces.includes(name);
}

function isWhole(name: string, titles: Title[]): boolean {
  const patterns = titles.map(({ pattern }) => pattern);
  return patterns.some((_, outer) => new RegExp(`^${patterns.slice(outer).join(' ')}$`).test(name));
}

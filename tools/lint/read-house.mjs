import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { roomOf } from './import-table.mjs';

export const ROOT = path.join(import.meta.dirname, '..', '..');
const OUTSIDE = new Set(['node_modules', 'dist', '.local', '.git', 'docs']);
const EXPORT =
  /^export (?:default )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

/** The file of the house that `specifier` means in `from`, relative to the root; undefined for a package. */
export function resolveImport(from, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  const base = path.join(path.dirname(from), specifier).replace(/\.js$/, '');
  return (
    [`${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find((file) => existsSync(path.join(ROOT, file))) ??
    base
  );
}

/** Every source of the house with what it imports and exports. */
export function readHouse() {
  return new Map(sources('').map((file) => [file, readSource(file)]));
}

/** These files and all that they import, types included. */
export function reachedFrom(files) {
  const reached = new Set(files);
  for (const file of reached) for (const next of readSource(file).imports) reached.add(next);
  return [...reached];
}

function readSource(file) {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const { importedFiles } = ts.preProcessFile(text, true, true);
  const imports = importedFiles.flatMap(({ fileName }) => resolveImport(file, fileName) ?? []);
  return {
    imports: [...new Set(imports)],
    exports: [...text.matchAll(EXPORT)].map(([, name]) => name),
  };
}

function sources(folder) {
  return readdirSync(path.join(ROOT, folder)).flatMap((name) => {
    const file = path.posix.join(folder, name);
    if (OUTSIDE.has(name)) return [];
    if (statSync(path.join(ROOT, file)).isDirectory()) return sources(file);
    return /\.tsx?$/.test(name) && !name.endsWith('.d.ts') ? [file] : [];
  });
}

/** Groups of files that import each other in a circle, types included (Tarjan). */
export function circlesOf(house) {
  const found = [];
  const seen = new Map();
  const stack = [];
  const visit = (file) => {
    const state = { at: seen.size, low: seen.size, open: true };
    seen.set(file, state);
    stack.push(file);
    for (const next of house.get(file).imports) {
      if (!house.has(next)) continue;
      if (!seen.has(next)) state.low = Math.min(state.low, visit(next).low);
      else if (seen.get(next).open) state.low = Math.min(state.low, seen.get(next).at);
    }
    if (state.low < state.at) return state;
    const group = stack.splice(stack.indexOf(file));
    for (const member of group) seen.get(member).open = false;
    if (group.length > 1) found.push(group);
    return state;
  };
  for (const file of house.keys()) if (!seen.has(file)) visit(file);
  return found;
}

/** Names exported by more than one file of the product, with the files. */
export function namesakesOf(house) {
  const files = new Map();
  for (const [file, { exports }] of house) {
    if (!roomOf(file)) continue;
    for (const name of exports) files.set(name, [...(files.get(name) ?? []), file]);
  }
  return new Map([...files].filter(([, where]) => where.length > 1));
}

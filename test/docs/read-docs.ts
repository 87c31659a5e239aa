import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

export interface Doc {
  /** relative to the checkout */
  file: string;
  text: string;
}

/** Every page for readers: the ones at the top, and docs/. */
export function readDocs(): Doc[] {
  const top = readdirSync(checkout).filter((file) => file.endsWith('.md'));
  const pages = readdirSync(path.join(checkout, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
    .map((file) => path.join('docs', file));
  return [...top, ...pages].map((file) => ({ file, text: readFileSync(path.join(checkout, file), 'utf8') }));
}

export const NOT_OURS = new Set([
  'node_modules',
  'dist',
  '.local',
  '.git',
  'coverage',
  'images',
  'histories',
]);
const SOURCE = /\.(ts|tsx|mjs|js|sh|pml|md|ya?ml)$|Dockerfile$/;

/** Every file that people write: code, tests, scripts, settings and pages. */
export function readSources(dir = ''): Doc[] {
  return readdirSync(path.join(checkout, dir), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : readSources(file);
    return SOURCE.test(file) ? [{ file, text: readFileSync(path.join(checkout, file), 'utf8') }] : [];
  });
}

/** What stands in blocks and between backticks, a command each, continued lines joined. */
export function codeOf({ text }: Doc): string[] {
  const blocks = [...text.matchAll(/^ *```[^\n]*\n([\s\S]*?)^ *```/gm)].flatMap(([, block]) =>
    block!
      .replace(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => line.trim()),
  );
  const inline = [...text.replace(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code]) => code!,
  );
  return [...blocks, ...inline];
}

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(__dirname, '../..');

export interface Doc {
  /** relative to the checkout */
  file: string;
  text: string;
}

/** Every page for readers: the ones at the top, and docs/. */
export function readDocs(): Doc[] {
  const top = readdirSync(ROOT).filter((file) => file.endsWith('.md'));
  const pages = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join('docs', file));
  return [...top, ...pages].map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }));
}

/** What stands in blocks and between backticks, a command each, continued lines joined. */
export function codeOf({ text }: Doc): string[] {
  const blocks = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
    block!.replace(/\\\n\s*/g, '').split('\n'),
  );
  const inline = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code]) => code!,
  );
  return [...blocks, ...inline];
}

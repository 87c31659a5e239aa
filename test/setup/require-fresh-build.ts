import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { include } from '../../tsconfig.build.json';

// `npm run build` writes it last.
const BUNDLE = 'dist/worker/workflows.bundle.js';

/**
 * Tests of processes and workers run dist/: of an older build they would say nothing.
 * @throws Error that names the source and the command
 */
export function requireFreshBuild(root = checkout, sources = include): void {
  const bundle = path.join(root, BUNDLE);
  if (!existsSync(bundle)) throw new Error('dist/ is not built; run `npm run build`');
  const builtAt = statSync(bundle).mtimeMs;
  const files = sources.flatMap((name) => filesBelow(path.join(root, name)));
  const newer = files.find((file) => statSync(file).mtimeMs > builtAt);
  if (newer) throw new Error(`${path.relative(root, newer)} is newer than dist/; run \`npm run build\``);
}

function filesBelow(place: string): string[] {
  if (!statSync(place).isDirectory()) return [place];
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.tsx?$/.test(file)).map((file) => path.join(place, file));
}

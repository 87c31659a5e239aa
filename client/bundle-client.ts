import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

// Part of the build: dist/downloads/gdx.mjs, and its SHA-256 and release beside it.

const ROOT = path.join(__dirname, '../..');
const FOLDER = path.join(ROOT, 'dist/downloads');

// CommonJS packages require Node's own modules by this name.
const BANNER = `#!/usr/bin/env node
import { createRequire as __createRequire } from 'node:module';
import { dirname as __dirnameOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __dirnameOf(__filename);`;

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  mkdirSync(FOLDER, { recursive: true });
  const outfile = path.join(FOLDER, 'gdx.mjs');
  await build({
    entryPoints: [path.join(ROOT, 'client/main.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    charset: 'utf8',
    legalComments: 'none',
    banner: { js: BANNER },
    define: { GDX_RELEASE: JSON.stringify(version) },
    logLevel: 'warning',
  });
  const hash = createHash('sha256').update(readFileSync(outfile)).digest('hex');
  writeFileSync(`${outfile}.sha256`, `${hash}  gdx.mjs\n`);
  writeFileSync(`${outfile}.version`, `${version}\n`);
}

void main();

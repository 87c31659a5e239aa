import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { notFound } from '../http/http-error';
import type { OpenContext } from '../http/route';
import { type Asset, answerAsset, createAsset } from './show-docs';

const TYPES: Readonly<Record<string, string>> = {
  'gdx.mjs': 'text/javascript; charset=utf-8',
  'gdx.mjs.sha256': 'text/plain; charset=utf-8',
  'gdx.mjs.version': 'text/plain; charset=utf-8',
};

/** What `npm run build` makes beside the service's own code. */
export const builtFolder = (name: string): string =>
  ['../..', '../../dist'].map((up) => path.join(__dirname, up, name)).find(existsSync) ?? name;

const read = new Map<string, Asset>();

/** `GET /downloads/{download}`: the client of ERPs and customers, its SHA-256 and its release (docs/contract.md E22). */
export function showDownload(ctx: OpenContext): void {
  const name = ctx.params['download'] ?? '';
  if (!Object.hasOwn(TYPES, name)) throw notFound();
  const file = path.join(builtFolder('downloads'), name);
  if (!existsSync(file)) throw notFound();
  const asset = read.get(name) ?? createAsset(TYPES[name]!, readFileSync(file), 'no-cache');
  read.set(name, asset);
  answerAsset(ctx, asset);
}

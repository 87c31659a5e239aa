import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { onFirstUse } from '../../domain/records/on-first-use';
import { withoutEndSlashes } from '../../domain/text/without-end-slashes';
import type { FarmerDeps } from '../farmer/farmer-state';
import { notFound } from '../http/http-error';
import type { OpenContext } from '../http/route';
import { builtFolder } from '../openapi/show-download';
import { type Asset, answerAsset, createAsset } from '../openapi/show-docs';
import { pageHeaders } from '../pages/page-pipeline';
import { GUIDE_STYLE } from './style';

// What the pages say where the service's address and those that it posts from belong.
const EXAMPLE = 'https://grain.example';
const UNSAID = 'addresses that the operator tells you';

const KINDS: Readonly<Record<string, string>> = { '.html': 'html', '.md': 'markdown' };

/** The files of the build by their addresses. Whatever else is asked for is not there. */
const files = onFirstUse(() => {
  const folder = builtFolder('guide');
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const made = all.filter((file) => statSync(path.join(folder, file)).isFile());
  return new Map(made.map((file) => [`/${file.replace(/\.html$/, '')}`, path.join(folder, file)]));
});
const headers = onFirstUse(() => pageHeaders(GUIDE_STYLE, "data: 'self'"));
const kept = new Map<string, Asset>();

/** `GET /guide` and all below it: what the build made of docs/, with this service's addresses in it (docs/contract.md A21). */
export function showGuide(ctx: OpenContext, { farmer }: Pick<FarmerDeps, 'farmer'>): void {
  const file = files().get(ctx.path);
  if (file === undefined) throw notFound();
  const ending = path.extname(file);
  const isImage = ending === '.png';
  const type = isImage ? 'image/png' : `text/${KINDS[ending] ?? 'plain'}; charset=utf-8`;
  const address = withoutEndSlashes(new URL(farmer.publicUrl).href);
  const from = farmer.outboundAddresses.join(', ') || UNSAID;
  const key = [file, address, from].join(' ');
  const filled = () => readFileSync(file, 'utf8').replaceAll(EXAMPLE, address).replaceAll(UNSAID, from);
  const asset = kept.get(key) ?? createAsset(type, isImage ? readFileSync(file) : filled(), 'no-cache');
  kept.set(key, asset);
  if (ending === '.html') ctx.set(headers());
  answerAsset(ctx, asset);
}

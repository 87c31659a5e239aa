import { readFileSync } from 'node:fs';
import { notFound } from '../http-error';
import type { OpenContext } from '../route';
import { answerAsset, createAsset, type Asset } from './asset';
import { DOCS_PAGE, START_SCRIPT } from './docs-page';

// Asked for again each time, answered 304: a new release shows at once.
const CHECK = 'no-cache';
const A_DAY = 'public, max-age=86400';

const once = (make: () => Asset) => {
  let made: Asset | undefined;
  return () => (made ??= make());
};
const file = (type: string, path: string) => once(() => createAsset(type, readFileSync(path), A_DAY));

const page = once(() => createAsset('text/html; charset=utf-8', DOCS_PAGE, CHECK));

/** Only what the page needs of the package, all from this machine. Read when first asked for. */
const FILES = new Map<string, () => Asset>([
  ['start.js', once(() => createAsset('text/javascript; charset=utf-8', START_SCRIPT, CHECK))],
  ['swagger-ui.css', file('text/css; charset=utf-8', require.resolve('swagger-ui-dist/swagger-ui.css'))],
  [
    'swagger-ui-bundle.js',
    file('text/javascript; charset=utf-8', require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  ],
  ['favicon-32x32.png', file('image/png', require.resolve('swagger-ui-dist/favicon-32x32.png'))],
]);

/** `GET /docs`: the reference, to read. */
export function showDocs(ctx: OpenContext): void {
  answerAsset(ctx, page());
}

/** `GET /docs/{file}` */
export function showDocsFile(ctx: OpenContext): void {
  const asset = FILES.get(ctx.params['file'] ?? '');
  if (!asset) throw notFound();
  answerAsset(ctx, asset());
}

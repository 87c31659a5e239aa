import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { onFirstUse } from '../../domain/records/on-first-use';
import { notFound } from '../http/http-error';
import type { OpenContext, RouteTraits } from '../http/route';
import { describeApi } from './describe-api';

/** The HTML page of the reference. Scripts and styles are files of their own, as helmet's policy requires. */
const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Grain Data Exchange: API reference</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript. The document itself is <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** `validatorUrl: null` because the default sends the document's address to a public validator. */
const START_SCRIPT = `window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
});
`;

// The browser asks on every request whether the file has changed, so that a new release shows at once.
const CHECK = 'no-cache';
const A_DAY = 'public, max-age=86400';

const file = (type: string, path: string) => onFirstUse(() => createAsset(type, readFileSync(path), A_DAY));

const page = onFirstUse(() => createAsset('text/html; charset=utf-8', DOCS_PAGE, CHECK));

/** The files that the page needs, read on first use. */
const FILES = new Map<string, () => Asset>([
  ['start.js', onFirstUse(() => createAsset('text/javascript; charset=utf-8', START_SCRIPT, CHECK))],
  ['swagger-ui.css', file('text/css; charset=utf-8', require.resolve('swagger-ui-dist/swagger-ui.css'))],
  [
    'swagger-ui-bundle.js',
    file('text/javascript; charset=utf-8', require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  ],
  ['favicon-32x32.png', file('image/png', require.resolve('swagger-ui-dist/favicon-32x32.png'))],
]);

/** `GET /docs`: the API reference. */
export function showDocs(ctx: OpenContext): void {
  answerAsset(ctx, page());
}

/** `GET /docs/{file}` */
export function showDocsFile(ctx: OpenContext): void {
  const asset = FILES.get(ctx.params['file'] ?? '');
  if (!asset) throw notFound();
  answerAsset(ctx, asset());
}

/** `GET /openapi.json`: built once, when the process starts. */
export function showDocument(routes: readonly RouteTraits[]): (ctx: OpenContext) => void {
  const document = createAsset('application/json', JSON.stringify(describeApi(routes)), CHECK);
  return (ctx) => answerAsset(ctx, document);
}

/** A response body that is constant while the process runs. */
export type Asset = ReturnType<typeof createAsset>;

export function createAsset(type: string, content: string | Buffer, cacheControl: string) {
  const plain = Buffer.from(content);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, cacheControl, etag, plain, zipped: gzipSync(plain) };
}

/** 200, or 304 when the browser has it already. */
export function answerAsset(ctx: OpenContext, { type, cacheControl, etag, plain, zipped }: Asset): void {
  ctx.set({ 'Content-Type': type, 'Cache-Control': cacheControl, ETag: etag, Vary: 'Accept-Encoding' });
  ctx.status = 200;
  if (ctx.fresh) return void (ctx.status = 304);
  const zip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (zip) ctx.set('Content-Encoding', 'gzip');
  ctx.body = zip ? zipped : plain;
}

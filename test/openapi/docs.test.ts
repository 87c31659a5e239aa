import { startApi, type Api } from '../api/start-api';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { slowTest } from '../setup/cases';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

slowTest('the reference shows every group, from local files only, under the strict policy', async () => {
  const origin = `http://127.0.0.1:${api.port}`;
  const browser = await startBrowser();
  const page = await browser.newPage({ viewport: { width: 1200, height: 1400 } });
  const [complaints, asked]: [string[], string[]] = [[], []];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => asked.push(request.url()));
  const answer = await page.goto(`${origin}/docs`);
  await page.waitForSelector('#operations-webhooks-feed');
  expect(answer?.headers()['content-security-policy']).toMatch(/script-src 'self';/);
  const groups = await page.$$eval('.opblock-tag', (tags) => tags.map((tag) => tag.getAttribute('data-tag')));
  expect(groups).toEqual(expect.arrayContaining(['push', 'markers', 'deliveries', 'sharing', 'service']));
  await page.click('#operations-push-push .opblock-summary-control');
  await page.waitForSelector('#operations-push-push .responses-wrapper');
  expect(complaints).toEqual([]);
  const elsewhere = asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'));
  expect(elsewhere).toEqual([]);
  await browser.close();
});

describe('files', () => {
  test.each([
    ['/openapi.json', 'application/json', 'no-cache'],
    ['/docs', 'text/html; charset=utf-8', 'no-cache'],
    ['/docs/start.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8', 'public, max-age=86400'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'public, max-age=86400'],
    ['/docs/favicon-32x32.png', 'image/png', 'public, max-age=86400'],
  ])('%s is kept by browsers and asked for again cheaply', async (path, type, cache) => {
    const answer = await api.ask('GET', path);
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      type,
      cache,
    ]);
    const etag = String(answer.headers['etag']);
    const again = await api.ask('GET', path, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const zipped = await api.ask('GET', path, { headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect([answer, zipped].map(({ headers }) => headers['vary'])).toEqual(Array(2).fill('Accept-Encoding'));
  });

  test.each(['package.json', '..%2fpackage.json', '%2e%2e', 'index.html', 'constructor'])(
    'no other: %s',
    async (file) => {
      expect((await api.ask('GET', `/docs/${file}`)).status).toBe(404);
    },
  );
});

test('the document is the one that describes the routes', async () => {
  const { json } = await api.ask('GET', '/openapi.json');
  expect(Object.keys(json.paths)).toContain('/api/v1/push');
});

import { createServer } from 'node:http';
import { classifyAnswer } from '../../domain/deliveries/classify-answer';
import { COMMANDS, type RecordType } from '../../domain/records/commands';
import { ANSWER_EFFECTS } from '../../domain/deliveries/answer-effects';
import { recordWarnings } from '../../domain/records/record-warnings';
import { finishWire, renderRecord } from '../../domain/records/render-record';
import { NONE_DECLARED } from '../../domain/records/shown-fields';
import { shownRecord } from '../../domain/records/shown-record';
import { validatePush } from '../../domain/records/validate-push';
import { PUSHES } from '../../api/openapi/examples';
import { FIELD_DESCRIPTIONS } from '../../api/openapi/field-descriptions';
import { ROUTES } from '../../api/routes';
import { expectDeclared, watchAnswers } from './declared';
import { DOCUMENT, validatorAt, walkDocument, type Node } from './read-document';
import { startApi, type Api } from '../api/start-api';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { nightlyTest, slowTest } from '../setup/cases';
import { serveHere } from '../setup/serve-here';

let api: Api;

describe('openapi', () => {
  const operations = Object.entries<Node>(DOCUMENT.paths).flatMap(([path, item]) =>
    Object.entries<Node>(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const parts = [...walkDocument(DOCUMENT)];

  const called = ROUTES.filter(({ caller }) => caller === 'integration' || caller === 'channel');

  test('it has every route that ERPs and customers call, and nothing else', () => {
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    const routes = called.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(described.sort()).toEqual(routes.sort());
  });

  test('it has the parameters of the query that the table of routes knows, and no others', () => {
    const described = operations.map(({ path, method, operation }) => {
      const inQuery = (operation.parameters as Node[]).filter((one) => one['in'] === 'query');
      return [`${method.toUpperCase()} ${path}`, inQuery.map(({ name }) => name as string).sort()];
    });
    const routes = called.map(({ method, path, query = [] }) => [
      `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
      [...query].sort(),
    ]);
    expect(new Map(described as [string, string[]][])).toEqual(new Map(routes as [string, string[]][]));
  });

  describe('it is OpenAPI 3.1', () => {
    test('with the sections of the standard, and every operation complete', () => {
      expect(DOCUMENT).toMatchObject({
        openapi: '3.1.0',
        info: { title: expect.any(String), version: '1.0.0' },
      });
      expect(Object.keys(DOCUMENT).sort()).toEqual(
        ['components', 'externalDocs', 'info', 'openapi', 'paths', 'servers', 'tags', 'webhooks'].sort(),
      );
      const ids = operations.map(({ operation }) => operation.operationId);
      expect(new Set(ids).size).toBe(ids.length);
      const tags = DOCUMENT.tags.map(({ name }: Node) => name);
      const { feed, notice } = DOCUMENT.webhooks;
      for (const { operation } of [...operations, { operation: feed.post }, { operation: notice.post }]) {
        expect(tags).toEqual(expect.arrayContaining(operation.tags ?? []));
        expect(operation.summary).toMatch(/\w/);
        expect(Object.keys(operation.responses).length).toBeGreaterThan(0);
        for (const [status, answer] of Object.entries<Node>(operation.responses)) {
          expect(status).toMatch(/^[1-5](\d\d|XX)$/);
          expect(answer.description).toMatch(/\w/);
        }
      }
    });

    test('every parameter of a path is declared, once, and required', () => {
      for (const { path, operation } of operations) {
        const inPath = (operation.parameters ?? []).filter((parameter: Node) => parameter.in === 'path');
        expect(inPath.map(({ name }: Node) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
        expect(inPath.every(({ required }: Node) => required)).toBe(true);
      }
    });

    test('every reference leads somewhere, every security scheme is defined', () => {
      for (const { node } of parts) {
        if (node.$ref) expect(DOCUMENT.components.schemas).toHaveProperty(node.$ref.replace(/^.*\//, ''));
      }
      const defined = Object.keys(DOCUMENT.components.securitySchemes);
      const named = parts.flatMap(({ node }) =>
        (node.security ?? []).flatMap((one: object) => Object.keys(one)),
      );
      expect(defined).toEqual(expect.arrayContaining(named));
    });

    test('no rule stands beside the members of an object: generators of clients leave out what has one', () => {
      const ruled = parts.filter(({ node }) => node.properties && (node.anyOf || node.oneOf || node.allOf));
      expect(ruled.map(({ path }) => path.join('.'))).toEqual([]);
    });

    slowTest('every schema compiles, and its patterns hold in other languages', () => {
      for (const name of Object.keys(DOCUMENT.components.schemas)) validatorAt('components', 'schemas', name);
      for (const { node, path } of parts) if (node.schema) validatorAt(...path, 'schema');
      const patterns = parts.flatMap(({ node }) => (typeof node.pattern === 'string' ? [node.pattern] : []));
      expect(patterns.filter((pattern) => pattern.includes('\\p'))).toEqual([]);
    });
  });

  test('every operation says which token opens it', () => {
    const opening = {
      integration: 'integrationToken',
      channel: 'channelKey',
    } as Record<string, string>;
    for (const { method, path, caller } of called) {
      const { security } = DOCUMENT.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      expect([method, path, security]).toEqual([method, path, [{ [opening[caller]!]: [] }]]);
    }
  });

  test('a body that is too large is told the limit of its route', () => {
    const limits = called.flatMap(({ method, path, maxBodyBytes }) =>
      maxBodyBytes ? [[`${method} ${path}`, maxBodyBytes] as const] : [],
    );
    expect(limits.length).toBeGreaterThan(4);
    for (const [route, bytes] of limits) {
      const [method = '', path = ''] = route.replace(/:(\w+)/g, '{$1}').split(' ');
      const { description } = DOCUMENT.paths[path][method.toLowerCase()].responses['413'];
      const [, size, unit] = /over (\d+) ([KM])iB/.exec(description)!;
      expect([route, Number(size) * (unit === 'M' ? 2 ** 20 : 2 ** 10)]).toEqual([route, bytes]);
    }
  });

  describe('its examples', () => {
    const media = parts.filter(({ node }) => node.schema && node.examples);
    const examples = media.flatMap(({ node, path }) =>
      Object.entries<Node>(node.examples).map(([name, { value }]) => ({ path, name, value })),
    );

    test('are those of every body of JSON that is no list of files', () =>
      expect(examples.length).toBeGreaterThan(30));

    test.each(examples.map((example) => [[...example.path, example.name].join(' '), example] as const))(
      '%s fits its schema',
      (_, { path, value }) => {
        const validate = validatorAt(...path, 'schema');
        expect([validate(value), validate.errors]).toEqual([true, null]);
      },
    );

    test('of parameters fit theirs', () => {
      const parameters = parts.filter(({ node }) => node.in && node.schema && node.example !== undefined);
      expect(parameters.length).toBeGreaterThan(10);
      for (const { node, path } of parameters) {
        const validate = validatorAt(...path, 'schema');
        expect([path, node.example, validate(node.example)]).toEqual([path, node.example, true]);
      }
    });

    test('of pushes are taken by the service, and add up', () => {
      for (const push of Object.values(PUSHES)) {
        const body = JSON.parse(JSON.stringify(push)) as unknown;
        expect(validatePush(body)).toMatchObject({ ok: true });
        const commands = push.data.flatMap((command) => Object.entries(command as object));
        for (const [name, payload] of commands) {
          const type = name.replace('update-', '') as RecordType;
          for (const record of payload[type]) expect(recordWarnings(type, record)).toEqual([]);
        }
      }
    });
  });

  test('every field of a record is described in words, and no word is for nothing', () => {
    const fields = new Set<string>();
    for (const { node } of walkDocument(COMMANDS.map(({ schema }) => schema))) {
      if (node.type !== 'object') continue;
      for (const field of Object.keys(node.properties)) fields.add(field);
    }
    expect(Object.keys(FIELD_DESCRIPTIONS).sort()).toEqual([...fields].sort());
  });

  test('every answer of a customer is in the webhook with the class that the service gives it', () => {
    const { responses } = DOCUMENT.webhooks.feed.post;
    for (let status = 200; status < 600; status++) {
      const known = responses[status] ?? responses[`${String(status)[0]}XX`];
      const failure = classifyAnswer({ status, excerpt: '' })?.failure ?? 'confirmed';
      expect([status, known.description]).toEqual([
        status,
        `**${failure}**: ${ANSWER_EFFECTS[failure].effect}`,
      ]);
    }
  });

  describe('the check that every test’s answers are declared', () => {
    const MARKERS = '/api/v1/channels/acme/markers';
    const seen = { status: 200, contentType: 'application/json' };
    test.each<[string, string, string, object, RegExp]>([
      ['a status', 'GET', MARKERS, { ...seen, status: 418 }, /no such status/],
      ['a type', 'GET', MARKERS, { ...seen, contentType: 'text/html' }, /no text\/html/],
      ['a field', 'GET', MARKERS, { ...seen, json: { data: [], since: 1 } }, /additionalProperties/],
      ['a missing field', 'GET', MARKERS, { ...seen, json: {} }, /required/],
      ['JSON of a page', 'GET', '/subscriptions/done', seen, /a page answers no JSON/],
      [
        'a code',
        'GET',
        MARKERS,
        { ...seen, status: 401, json: { code: 'NOT_FOUND', message: 'x', request_id: 'y' } },
        /allowed/,
      ],
      ['an address', 'GET', '/nowhere', seen, /404/],
      ['a method', 'PUT', MARKERS, seen, /405/],
    ])('minds %s', (_, method, address, answer, problem) => {
      expect(() => expectDeclared(method, address, answer as typeof seen)).toThrow(problem);
    });

    test('hears what is asked by others than `ask`, too', async () => {
      const server = createServer((_, response) => response.writeHead(418).end());
      const undeclared = watchAnswers(server);
      const { url } = await serveHere(server);
      await fetch(`${url}${MARKERS}`);
      expect(undeclared).toEqual([expect.stringContaining(`GET ${MARKERS} answered 418`)]);
      await new Promise((closed) => server.close(closed));
    });
  });

  describe('the pages of a channel of scope subscribed', () => {
    const company = { id: '42', name: 'Prairie Co-op' };
    const channel = { shared: new Set(['42-1']), fields: NONE_DECLARED };
    const pageOf = (type: 'tickets' | 'contracts' | 'settlements', record: { id: string }) => {
      const rendered = renderRecord(type, record, company);
      const wire = finishWire(rendered, 0, 0);
      const shown = shownRecord(type, { wire, account_ids: rendered.account_ids }, channel);
      const meta = { current_page: 1, page_count: 1, page_size: 1, total_count: 1, total_pages: 1 };
      return { data: [JSON.parse(shown.toString())], meta };
    };

    test.each([
      [
        'a ticket of two accounts, one of them hidden',
        'tickets',
        { account_id: '1', splits: [{ account_id: '1' }, { account_id: '2' }] },
      ],
      ['a ticket whose own account is hidden', 'tickets', { account_id: '2', splits: [{ account_id: '1' }] }],
      ['a ticket that is corrected away', 'tickets', { account_id: '2' }],
      ['a contract that is corrected away', 'contracts', { account_id: '2' }],
      [
        'a settlement of which a payee is shared',
        'settlements',
        { account_id: '2', payees: [{ account_id: '1' }, { account_id: '3' }] },
      ],
    ] as const)('fit: %s', (_, type, record) => {
      const validate = validatorAt('components', 'schemas', `${type[0]!.toUpperCase()}${type.slice(1)}Page`);
      validate(pageOf(type, { id: 'X-1', ...record }));
      expect(validate.errors ?? []).toEqual([]);
    });
  });
});

describe('docs', () => {
  beforeAll(async () => {
    api = await startApi();
  });

  nightlyTest('the reference shows every group, from local files only, under the strict policy', async () => {
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
    const groups = await page.$$eval('.opblock-tag', (tags) =>
      tags.map((tag) => tag.getAttribute('data-tag')),
    );
    expect(groups).toEqual(expect.arrayContaining(['push', 'markers', 'deliveries', 'sharing']));
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
      ['/downloads/gdx.mjs', 'text/javascript; charset=utf-8', 'no-cache'],
      ['/downloads/gdx.mjs.sha256', 'text/plain; charset=utf-8', 'no-cache'],
      ['/downloads/gdx.mjs.version', 'text/plain; charset=utf-8', 'no-cache'],
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
      expect([answer, zipped].map(({ headers }) => headers['vary'])).toEqual(
        Array(2).fill('Accept-Encoding'),
      );
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
});

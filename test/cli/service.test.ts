import { createServer, type RequestListener, type IncomingMessage } from 'node:http';
import { createServiceClient } from '../../client/service/service-client';
import { readTarget } from '../../client/service/read-target';
import { forwardPage } from '../../client/listen/forward-page';
import { formatTable } from '../../client/print';
import { PassThrough } from 'node:stream';
import { confirm } from '../../cli/envelope';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { whyNoAnswer, whyUnreachable } from '../../client/service/why-unreachable';
import { OddCustomer } from '../outbound/odd-customer';
import { settingsPage } from '../../cli/setting-rows';
import { ALL_SETTINGS } from '../../domain/settings/all-settings';
import { serveHere } from '../setup/serve-here';

describe('service client', () => {
  let answer: RequestListener;
  let asked: string[];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.method}`);
    request.resume();
    answer(request, response);
  });
  let port: number;
  beforeAll(async () => void ({ port } = await serveHere(server)));
  beforeEach(() => {
    asked = [];
  });

  class Waits extends Error {
    constructor(readonly waitMs: number) {
      super('it would wait');
    }
  }

  function client() {
    const onWait = (_why: string, waitMs: number) => {
      throw new Waits(waitMs);
    };
    return createServiceClient({
      url: `http://127.0.0.1:${port}`,
      token: 't',
      retryForMs: undefined,
      onWait,
    });
  }

  /** How long it would wait before it asks again; undefined where it takes the answer. */
  async function waitAfter(status: number, retryAfter: string): Promise<number | undefined> {
    answer = (_, response) => response.writeHead(status, { 'retry-after': retryAfter }).end();
    const ended = await client()('/').catch((error: unknown) => error);
    return ended instanceof Waits ? ended.waitMs : undefined;
  }

  test.each([408, 425, 429, 500, 503])('after %i it asks again, when it is told to', async (status) => {
    expect(await waitAfter(status, '7')).toBe(7_000);
  });

  test('it waits a minute at most', async () => expect(await waitAfter(503, '3600')).toBe(60_000));

  test.each([401, 404, 409, 422])('%i is an answer', async (status) => {
    expect(await waitAfter(status, '7')).toBeUndefined();
  });

  test.each([
    [
      'a host that nobody has',
      () => 'http://grain.invalid',
      /no such service at http:\/\/grain\.invalid \(ENOTFOUND\)/,
    ],
    ['https where http is spoken', () => `https://127.0.0.1:${port}`, /does not speak TLS \(ERR_SSL_/],
  ])('%s is not waited for', async (_, url, says) => {
    const waits: string[] = [];
    const ask = createServiceClient({
      ...{ url: url(), token: 't', retryForMs: undefined },
      onWait: (why) => {
        waits.push(why);
        throw new Error('it would wait');
      },
    });
    await expect(ask('/')).rejects.toMatchObject({ exitCode: 69, message: expect.stringMatching(says) });
    expect(waits).toEqual([]);
  });

  test('of a folder that is watched a wrong address is waited for, and the wait says what to check', async () => {
    const onWait = (why: string) => {
      throw new Error(`waits: ${why}`);
    };
    const url = `https://127.0.0.1:${port}`;
    const ask = createServiceClient({ url, token: 't', retryForMs: undefined, isPatient: true, onWait });
    await expect(ask('/')).rejects.toThrow(/^waits: .* does not speak TLS \(ERR_SSL_.*; check http or https/);
  });

  test('of a folder that is watched a token that is refused is tried again, and the wait says what to check', async () => {
    answer = (_, response) => response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    const waits: string[] = [];
    const ask = createServiceClient({
      ...{ url: `http://127.0.0.1:${port}`, token: 't', retryForMs: undefined, isPatient: true },
      onWait(why) {
        waits.push(why);
        answer = (_, response) => response.writeHead(204).end();
      },
    });
    expect(await ask('/')).toMatchObject({ status: 204 });
    expect(waits).toEqual([expect.stringMatching(/^the service answered 401; check the token: /)]);
  });

  test('it waits no longer than it is to try', async () => {
    answer = (_, response) => response.writeHead(503, { 'retry-after': '60' }).end();
    const onWait = (_: string, waitMs: number) => {
      throw new Waits(waitMs);
    };
    const ask = createServiceClient({
      url: `http://127.0.0.1:${port}`,
      token: 't',
      retryForMs: 9_000,
      onWait,
    });
    const { waitMs } = (await ask('/').catch((error: unknown) => error)) as Waits;
    expect([waitMs > 0, waitMs <= 9_000]).toEqual([true, true]);
  });

  test.each([301, 307, 308])('what is sent goes nowhere else, though %i asks for it', async (status) => {
    answer = (_, response) => response.writeHead(status, { location: `http://localhost:${port}/` }).end();
    const { status: seen } = await client()('/', { method: 'POST', body: '{}' });
    expect([seen, asked]).toEqual([status, [`127.0.0.1:${port} POST`]]);
  });
});

describe('read target', () => {
  const tokenOf = (kind: string, mode: string) => `gdx_${kind}_${mode}_${'a'.repeat(43)}`;

  function target(kind: 'erp' | 'channel', mode: 'live' | 'test', url: string): Promise<string> {
    const settings = { url: '', token: tokenOf(kind, mode), signingSecret: '' };
    return readTarget(settings, kind, { url }).then(
      (read) => read.url,
      (error: Error) => error.message,
    );
  }

  describe.each(['erp', 'channel'] as const)('a token of production, of kind %s', (kind) => {
    test.each([
      'http://grain.example',
      'http://localhost.grain.example',
      'http://127.0.0.1.grain.example',
      'http://10.0.0.1',
    ])('is not sent to %s', async (url) => {
      expect(await target(kind, 'live', url)).toBe(`${url} would carry the token unencrypted`);
      expect(await target(kind, 'test', url)).toBe(url);
    });

    test.each([
      'https://grain.example',
      'http://localhost:3000',
      'http://127.0.0.1:3000',
      'http://[::1]:3000',
    ])('is sent to %s', async (url) => expect(await target(kind, 'live', url)).toBe(url));
  });

  test.each([
    ['https://user@grain.example', 'must not carry a user'],
    ['https://:hunter2@grain.example', 'must not carry a user'],
    ['https://user:hunter2@grain.example', 'must not carry a user'],
    ['https://grain.example/?hunter2', 'must not have a query or a fragment'],
    ['https://grain.example/#hunter2', 'must not have a query or a fragment'],
    ['grain.example:3000', 'must be a URL'],
    ['ftp://grain.example', 'must be a URL'],
  ])('%s is refused, and no secret in it is repeated', async (url, problem) => {
    const refused = await target('erp', 'live', url);
    expect(refused).toContain(`the address of the service ${problem}`);
    expect(refused).not.toContain('hunter2');
  });

  test.each([
    ['https://GRAIN.example:10080', 'https://grain.example:10080'],
    ['https://grain.example:443/gdx//', 'https://grain.example/gdx'],
    ['HTTPS://[2606:4700::ABCD]:6000/', 'https://[2606:4700::abcd]:6000'],
  ])('%s is read as %s', async (url, read) => expect(await target('erp', 'live', url)).toBe(read));

  test('the address may be given with the path of the push', async () => {
    for (const path of ['', '/', '//', '/api/v1/push', '/api/v1/push/', '/api/v1/push//'])
      expect(await target('erp', 'live', `https://grain.example${path}`)).toBe('https://grain.example');
  });
});

describe('forward page', () => {
  const HEADERS = {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1',
    'webhook-signature': 'v1,x',
    'x-channel-slug': 'acme',
    'x-entity-type': 'tickets',
    'x-delivery-id': 'd',
    'x-feed-epoch': 'e',
    'x-request-id': 'r',
  };
  const page = {
    id: 'msg_1',
    entityType: 'tickets' as const,
    headers: { ...HEADERS, 'set-cookie': 'ours', connection: 'close' },
    body: Buffer.from('{"data":[]}'),
  };

  test('a receiver gets what the service would post, and only its own 2xx confirms', async () => {
    const asked: IncomingMessage[] = [];
    const statuses = [200, 302, 404];
    const server = createServer((req, res) => {
      asked.push(req);
      req.resume();
      res.writeHead(req.url === '/feed' ? statuses.shift()! : 200, { location: '/elsewhere' }).end();
    });
    const url = `${(await serveHere(server)).url}/`;
    const forward = async () => (await forwardPage({ url, authorization: 'Bearer k' }, page)).isConfirmed;
    expect([await forward(), await forward(), await forward()]).toEqual([true, false, false]);
    expect(asked.map((one) => one.url)).toEqual(['/feed', '/feed', '/feed']);
    expect(asked[0]!.headers).toMatchObject({ ...HEADERS, authorization: 'Bearer k' });
    expect(asked[0]!.headers).not.toHaveProperty('set-cookie');
  });
});

describe('print', () => {
  it('sets numbers to the right and shows instants, lists and nothing', () => {
    const rows = [
      { name: 'Acme', records: 12_304, at: new Date(0), types: ['accounts', 'tickets'], failure: null },
      { name: 'B', records: 7, at: new Date(1_000), types: [], failure: 'refused' },
    ];
    expect(formatTable(rows)).toBe(
      [
        'NAME  RECORDS  AT                        TYPES              FAILURE',
        'Acme   12,304  1970-01-01T00:00:00.000Z  accounts, tickets  -',
        'B           7  1970-01-01T00:00:01.000Z  -                  refused',
        '',
      ].join('\n'),
    );
  });

  it('lists the cells of each row, but empty ones, where a terminal is narrower than the table', () => {
    const rows = [
      { id: '3f0c7a52-b1d9', records: 12_304, failure: null },
      { id: '9', records: 7, failure: 'refused' },
    ];
    expect(formatTable(rows, 20)).toBe(
      'id       3f0c7a52-b1d9\nrecords  12,304\n\nid       9\nrecords  7\nfailure  refused\n',
    );
    expect(formatTable(rows, 80).split('\n')[0]).toBe('ID             RECORDS  FAILURE');
  });

  it('lets nothing through that moves the cursor or begins a line', () => {
    expect(formatTable([{ name: 'a\u001b[2Jb\nc\u009bd\u2028e' }])).toBe(
      'NAME\na\\u001b[2Jb\\u000ac\\u009bd\\u2028e\n',
    );
  });

  it('is nothing without rows', () => expect(formatTable([])).toBe(''));
});

describe('confirm', () => {
  function ask(typed: string | undefined, isTTY = true) {
    const input = Object.assign(new PassThrough(), { isTTY });
    const output = new PassThrough();
    if (typed === undefined) input.end();
    else input.write(`${typed}\n`);
    return confirm('Continue?', { input, output } as never);
  }

  it.each(['y', 'Y', 'yes', ' y '])('goes on after %j', async (typed) => {
    await expect(ask(typed)).resolves.toBeUndefined();
  });

  it.each(['', 'n', 'yep', 'no', undefined])('changes nothing after %j', async (typed) => {
    await expect(ask(typed)).rejects.toThrow('nothing was changed');
  });

  it('asks nobody where there is no terminal', async () => {
    await expect(ask(undefined, false)).resolves.toBeUndefined();
  });
});

describe('a certificate that is not taken', () => {
  test.each([
    ['self-signed', /is self-signed: no authority has issued it/, /NODE_EXTRA_CA_CERTS/],
    ['good', /is of an issuer that this machine does not know/, /NODE_EXTRA_CA_CERTS/],
  ] as const)('%s has its sentence and its cure', async (certificate, why, cure) => {
    const waits: string[] = [];
    const customer = await OddCustomer.start(() => {}, certificate);
    const url = new URL(customer.url).origin;
    const onWait = (because: string) => {
      waits.push(because);
      throw new Error('it would wait');
    };
    const ended = createServiceClient({ url, token: 't', retryForMs: undefined, onWait })('/');
    await expect(ended).rejects.toMatchObject({
      exitCode: 69,
      message: expect.stringMatching(why),
      advice: expect.stringMatching(cure),
    });
    expect(waits).toEqual([]);
  });

  // Codes of OpenSSL and Node, as they come with errors.
  test.each([
    ['CERT_HAS_EXPIRED', /has expired/, /clock of this machine/],
    ['CERT_NOT_YET_VALID', /is not valid yet/, /clock of this machine/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /is of another host/, /check the host in --url/],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      /is of an authority that this machine does not know/,
      /NODE_EXTRA_CA_CERTS/,
    ],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /comes without that of its issuer/, /NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_GET_ISSUER_CERT', /is of an issuer/, /NODE_EXTRA_CA_CERTS/],
    ['CERT_REVOKED', /was revoked/, /operator/],
    ['CERT_SIGNATURE_FAILURE', /is not valid/, /NODE_EXTRA_CA_CERTS/],
  ])('%s has its sentence and its cure', (code, why, cure) => {
    const found = whyUnreachable('https://grain.example/x', Object.assign(new Error('of TLS'), { code }));
    expect(found!.message).toMatch(why);
    expect(found!.message).toContain(`certificate of https://grain.example `);
    expect(found!.advice).toMatch(cure);
  });

  test.each([
    [407, 'give its user and password in HTTPS_PROXY, as http://user:password@proxy.example:3128'],
    [403, 'ask whoever runs the proxy that HTTPS_PROXY names, or name the host in NO_PROXY'],
  ])('a proxy that answers %s is named, with its setting and what to do', (status, advice) => {
    const proxy = { host: 'proxy.example:3128', settings: 'HTTPS_PROXY', status };
    expect(
      whyUnreachable('https://grain.example/x', Object.assign(new Error('no'), { proxy })),
    ).toMatchObject({
      message: `the proxy proxy.example:3128 refused https://grain.example (${status})`,
      advice,
    });
  });

  test('an error of the connection to a proxy is said of the proxy, and a status of its own as well', () => {
    const proxy = { host: 'proxy.example:3128', settings: 'HTTPS_PROXY' };
    const found = (code: string) =>
      whyUnreachable('https://grain.example', Object.assign(new Error('no'), { code, proxy }));
    expect(found('ENOTFOUND')).toMatchObject({
      message: 'the proxy proxy.example:3128 is not found (ENOTFOUND)',
      advice: 'check HTTPS_PROXY',
    });
    expect(found('CERT_HAS_EXPIRED')!.message).toMatch(
      /^the certificate of the proxy proxy\.example:3128 has/,
    );
    expect(found('EPROTO')!.advice).toBe('check http or https and the port in HTTPS_PROXY');
    expect(whyNoAnswer(Object.assign(new Error('no'), { proxy }), 'ECONNREFUSED')).toEqual({
      why: 'the proxy proxy.example:3128 does not answer (ECONNREFUSED)',
      cure: 'check HTTPS_PROXY, or name the host in NO_PROXY',
    });
    const status = Object.assign(new Error('no'), { proxy: { ...proxy, status: 503 } });
    expect(whyNoAnswer(status, 'Error')).toEqual({
      why: 'the proxy proxy.example:3128 answers 503',
      cure: 'ask whoever runs the proxy that HTTPS_PROXY names, or name the host in NO_PROXY',
    });
  });

  test.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'UND_ERR_SOCKET'])(
    '%s may pass by itself',
    (code) => {
      const error = Object.assign(new Error('for now'), { code });
      expect(whyUnreachable('https://grain.example', error)).toBeUndefined();
    },
  );
});

describe('settings page', () => {
  const FILE = path.join(__dirname, '../../docs/settings.md');

  test('docs/settings.md is what config.ts says: `npm run -s gdx -- config --markdown > docs/settings.md`', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(settingsPage(ALL_SETTINGS));
  });

  test('every setting is a row with a meaning, and no cell breaks the table', () => {
    const page = settingsPage({ ...ALL_SETTINGS, ODD: { default: '', description: 'a | b\nc' } });
    for (const name of Object.keys(ALL_SETTINGS)) {
      expect(page).toMatch(
        new RegExp(`^\\| \`${name}\` \\| (api|worker|api, worker|gdx) \\| .* \\| .{10,} \\|$`, 'm'),
      );
    }
    expect(page).toContain('| `ODD` | api, worker |  | a \\| b c |');
    expect(page).toMatch(/^\| `PORT` \| api \| `3000` \| .* \(0 to 65,535\) \|$/m);
  });
});

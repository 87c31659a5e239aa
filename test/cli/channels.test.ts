import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../setup/temporary-folder';
import { createServer } from 'node:http';
import { reachCustomer } from '../../cli/doctor/reach-customer';
import { findChannel, listChannels } from '../../store/channels/channels';
import { setChannel } from '../../store/channels/set-channel';
import { slowTest } from '../setup/cases';
import { startDesk, type Desk } from './start-desk';
import { whyNotGenuine } from '../../docs/samples/verify-signature.cjs';
import { ANSWER_EFFECTS, type AnswerClass } from '../../domain/deliveries/answer-effects';
import { readMarkers } from '../../store/markers/markers';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer } from '../setup/fake-customer';
import { addIntegration } from '../../store/callers/integrations';
import { listActions } from '../../store/callers/operator-actions';
import { lastNotice, listWaiting } from '../../store/alerts/customer-notices';
import { serveHere } from '../setup/serve-here';

let desk: Desk;

describe('a channel’s delivery', () => {
  beforeAll(async () => {
    desk = await startDesk();
  });

  const add = (slug: string, ...options: string[]) =>
    desk.gdx(['channel', 'add', slug, '--name', 'Acme', '--all-companies', ...options]);
  const stored = async (slug: string) => (await findChannel(desk.store, slug))!;

  test('a channel is posted to or collected, never both, never neither', async () => {
    const both = await add('both', '--delivery', 'pull', '--base-url', 'http://127.0.0.1:1');
    expect(both.stderr).toMatch(/--base-url and --delivery pull exclude each other/);
    const neither = await add('neither');
    expect(neither.stderr).toMatch(
      /no destination for its pages is given; say --base-url <url>, or --delivery pull/,
    );
    expect((await add('other', '--delivery', 'fax')).stderr).toMatch(/Allowed choices are push, pull/);
    expect([both.exitCode, neither.exitCode]).toEqual([2, 2]);
    expect(await findChannel(desk.store, 'both')).toBeNull();
  });

  slowTest('one of companies for which no ERP may push is told so', async () => {
    const of = (slug: string, id: string) =>
      desk.gdx(['channel', 'add', slug, '--name', 'Acme', '--delivery', 'pull', '--company', id]);
    await addIntegration(desk.store, { name: 'agris', company: { id: '42', name: 'Prairie Co-op' } });
    const nobody =
      'Nothing is sent yet: no ERP may push for company 77. `gdx integration add` gives its ERP a token.';
    const said = [(await of('unpushed', '77')).stderr, (await of('pushed', '42')).stderr];
    expect(said).toEqual([expect.stringContaining(nobody), expect.not.stringContaining('Nothing is sent')]);
  });

  slowTest('one that is collected has no endpoint to post a test to, or to reach', async () => {
    expect((await add('collected', '--delivery', 'pull')).exitCode).toBe(0);
    const shown = (await desk.gdx(['channel', 'show', 'collected', '--json'])).json();
    expect(shown).toMatchObject({ delivery: 'pull', base_url: null });
    const tested = await desk.gdx(['channel', 'test', 'collected']);
    expect(tested).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/its customer tries `gdx listen/),
    });
    const rule = { production: true, outboundAllow: [], outboundPorts: [443] };
    const found = await reachCustomer(await stored('collected'), { rule });
    expect(found).toMatchObject({ status: 'ok', finding: 'collects its pages itself' });
  });

  slowTest('can be changed to the other; posting needs an address', async () => {
    await add('changed', '--delivery', 'pull');
    const set = (...options: string[]) => desk.gdx(['channel', 'set', 'changed', '--json', ...options]);
    const nowhere = await set('--delivery', 'push');
    expect(nowhere).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/add --base-url/) });
    expect(await stored('changed')).toMatchObject({ delivery: 'pull' });
    const pushed = await set('--delivery', 'push', '--base-url', 'http://127.0.0.1:9', '--untested');
    expect(pushed.json()).toMatchObject({ delivery: 'push', base_url: 'http://127.0.0.1:9' });
    // A delivery that waits for its page to be collected posts it now.
    expect(await desk.signals('changed')).toEqual(['deliverNow']);
    // The Retry-After of a post holds back nothing that is collected.
    expect((await set('--delivery', 'pull')).json()).toMatchObject({ delivery: 'pull' });
    expect((await set('--delivery', 'pull', '--cadence', '2h')).exitCode).toBe(0);
    expect(await desk.signals('changed')).toEqual(['deliverNow', 'deliverNow', 'settingsChanged']);
  });
});

describe('channel test', () => {
  let customer: FakeCustomer;
  let signingSecret: string;

  beforeAll(async () => {
    desk = await startDesk();
    customer = await FakeCustomer.start();
    ({ signingSecret } = await addTestChannel(desk.store, 'acme', customer.baseUrl, {
      authorization: 'Basic abc',
    }));
  });

  const answer = (status: number, body = '') => (customer.script = () => ({ status, body }));

  it('posts an empty page: signed, marked as a test, each with an id of its own', async () => {
    answer(200);
    const runs = [
      await desk.gdx(['channel', 'test', 'acme']),
      await desk.gdx(['channel', 'test', 'acme', '--json']),
    ];
    expect(runs.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(runs[0]!.stdout).toMatch(/^class +confirmed$[^]*^tell_the_customer +-$/m);
    expect(runs[1]!.json()).toEqual({
      slug: 'acme',
      url: `${customer.baseUrl}/feed`,
      status: 200,
      milliseconds: expect.any(Number),
      class: 'confirmed',
      reason: 'Acme Crop Insurance answered 200',
      answer: null,
      mend: null,
      real_page: ANSWER_EFFECTS.confirmed.effect,
    });
    const [first, second] = customer.pages;
    const { headers, body, records, meta } = first!;
    expect([records, meta]).toEqual([
      [],
      { current_page: 1, page_count: 0, page_size: 1000, total_count: 0, total_pages: 0 },
    ]);
    expect(headers).toMatchObject({
      'x-gdx-test': 'true',
      'x-entity-type': 'accounts',
      authorization: 'Basic abc',
    });
    expect(headers['webhook-id']).toMatch(/^test_/);
    expect(second!.headers['webhook-id']).not.toBe(headers['webhook-id']);
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
      String(headers[`webhook-${name}`]),
    );
    const signed = { id: id!, timestamp: timestamp!, signature: signature! };
    expect(whyNotGenuine(signingSecret, signed, body)).toBeUndefined();
  });

  it('can carry one record, that deletes an account which nobody has', async () => {
    await desk.gdx(['channel', 'test', 'acme', '--with-record']);
    expect(await listActions(desk.store, 'acme', 1)).toMatchObject([
      { action: 'channel test', via: 'gdx', about: 'with a record', outcome: expect.stringMatching(/^It /) },
    ]);
    const { records, meta } = customer.pages.at(-1)!;
    expect(meta).toMatchObject({ page_count: 1, total_count: 1, total_pages: 1 });
    expect(records).toMatchObject([
      { id: 'gdx-test-test', name: expect.stringMatching(/^TEST/), deleted_at: expect.any(String) },
    ]);
  });

  it.each<[number, AnswerClass]>([
    [503, 'unavailable'],
    [429, 'throttled'],
    [413, 'too_large'],
    [422, 'refused'],
    [401, 'unauthorized'],
    [410, 'gone'],
    [302, 'misconfigured'],
  ])('explains %i as %s, and ends with 1', async (status, expected) => {
    answer(status, 'says who?');
    const run = await desk.gdx(['channel', 'test', 'acme', '--json']);
    const { effect, mend } = ANSWER_EFFECTS[expected];
    expect([run.exitCode, run.json()]).toEqual([
      1,
      expect.objectContaining({ status, class: expected, real_page: effect, mend, answer: 'says who?' }),
    ]);
  });

  it('tells of an endpoint that takes no packed pages, as its framework unpacks before the signature is checked', async () => {
    let refuses = (isPacked: boolean) => isPacked;
    const server = createServer((request, response) => {
      const isPacked = request.headers['content-encoding'] === 'gzip';
      request.resume().on('end', () => response.writeHead(refuses(isPacked) ? 401 : 200).end());
    });
    const { port } = await serveHere(server);
    await addTestChannel(desk.store, 'packed', `http://127.0.0.1:${port}`, { gzip: true });
    const tested = async () => (await desk.gdx(['channel', 'test', 'packed', '--json'])).json();
    expect(await tested()).toMatchObject({
      class: 'unauthorized',
      mend: expect.stringMatching(/not packed.*framework.*--gzip off/),
    });
    refuses = () => true;
    expect((await tested()).mend).toBe(ANSWER_EFFECTS.unauthorized.mend);
  });

  it('explains an endpoint that is not there, and one that is out of bounds', async () => {
    await addTestChannel(desk.store, 'nobody', 'http://127.0.0.1:9');
    await addTestChannel(desk.store, 'inside', 'http://10.0.0.1');
    const [nobody, inside] = [
      await desk.gdx(['channel', 'test', 'nobody', '--json']),
      await desk.gdx(['channel', 'test', 'inside']),
    ];
    expect([nobody.exitCode, nobody.json().class, nobody.json().reason]).toEqual([
      ...[1, 'unavailable'],
      expect.stringMatching(/refused the connection/),
    ]);
    expect([inside.exitCode, inside.stdout]).toEqual([1, expect.stringMatching(/^class +misconfigured$/m)]);
  });

  it('leaves no trace: no marker, no delivery, no id twice', async () => {
    expect((await readMarkers(desk.store, 'acme')).size).toBe(0);
    expect(await desk.store.db.collection('deliveries').countDocuments()).toBe(0);
    const ids = customer.pages.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(customer.pages.length);
  });
});

describe('a new base URL', () => {
  let before: FakeCustomer;
  let other: FakeCustomer;
  let signingSecret: string;

  beforeAll(async () => {
    desk = await startDesk();
    [before, other] = await Promise.all([FakeCustomer.start(), FakeCustomer.start()]);
    ({ signingSecret } = await addTestChannel(desk.store, 'acme', before.baseUrl, {
      authorization: 'Basic abc',
    }));
    await addTestChannel(desk.store, 'open', before.baseUrl);
  });
  beforeEach(async () => {
    other.pages.length = 0;
    for (const { _id } of await listChannels(desk.store))
      await setChannel(desk.store, _id, { base_url: before.baseUrl });
  });

  const move = (slug: string, ...more: string[]) =>
    desk.gdx(['channel', 'set', slug, '--base-url', other.baseUrl, ...more]);
  const urlOf = async (slug: string) => (await findChannel(desk.store, slug))!.base_url;

  test.each([403, 407])('a new base URL that answers %d is refused: it asks for nothing', async (status) => {
    other.script = () => ({ status, body: '' });
    expect(await move('acme', '--authorization', 'Basic eA==')).toMatchObject({ exitCode: 1 });
    expect(await urlOf('acme')).toBe(before.baseUrl);
  });

  slowTest.each([404, 302])('a new base URL that answers %d is refused', async (status) => {
    other.script = () => ({ status, body: '' });
    const { exitCode, stderr } = await move('acme');
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`answered ${status}.*--untested`)),
    ]);
    expect(await urlOf('acme')).toBe(before.baseUrl);
  });

  slowTest('nobody there: refused', async () => {
    const gone = await FakeCustomer.start();
    await gone.stop();
    const run = await desk.gdx(['channel', 'set', 'acme', '--base-url', gone.baseUrl]);
    expect([run.exitCode, await urlOf('acme')]).toEqual([1, before.baseUrl]);
  });

  test('one that takes the test page is stored; the page is signed and carries no Authorization', async () => {
    other.script = () => ({ status: 204, body: '' });
    const stderr = `${other.baseUrl}/feed took a test page.\n`;
    expect(await move('acme', '--authorization', 'Basic new')).toMatchObject({ exitCode: 0, stderr });
    expect(await urlOf('acme')).toBe(other.baseUrl);
    expect(other.pages).toHaveLength(1);
    const { headers, body, records } = other.pages[0]!;
    expect([headers['authorization'], headers['x-gdx-test'], records]).toEqual([undefined, 'true', []]);
    const signed = {
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
    };
    expect(whyNotGenuine(signingSecret, signed, body)).toBeUndefined();
  });

  test('headers of the customer’s own are replaced together, never shown, and not sent to a new base URL', async () => {
    const set = (...options: string[]) => desk.gdx(['channel', 'set', 'acme', ...options, '--json']);
    const both = await set('--header', 'X-Api-Key: first-value', '--header', 'X-Tenant: 7');
    expect([both.exitCode, both.json().headers]).toEqual([0, ['X-Api-Key', 'X-Tenant']]);
    other.script = () => ({ status: 204, body: '' });
    expect((await move('acme')).exitCode).toBe(0);
    expect(other.pages.at(-1)!.headers).not.toHaveProperty('x-api-key');
    await desk.gdx(['channel', 'test', 'acme']);
    expect(other.pages.at(-1)!.headers).toMatchObject({ 'x-api-key': 'first-value', 'x-tenant': '7' });
    expect((await set('--header', 'X-Api-Key: second-value')).json().headers).toEqual(['X-Api-Key']);
    expect(await listActions(desk.store, 'acme', 1)).toMatchObject([
      {
        about: 'headers',
        before: { headers: ['X-Api-Key', 'X-Tenant'] },
        outcome: 'Now headers: X-Api-Key.',
      },
    ]);
    expect((await set('--header', 'off')).json().headers).toEqual([]);
    for (const line of [
      'Host: second-value',
      'X-Api-Key second-value',
      'X-Api-Key: second-value\nX-Other: 1',
    ]) {
      const { exitCode, stderr } = await set('--header', line);
      expect([exitCode, stderr]).toEqual([2, expect.not.stringContaining('second-value')]);
    }
    const kept = await desk.store.db.collection('operator_actions').find().toArray();
    expect(JSON.stringify(kept)).not.toMatch(/(first|second)-value/);
  });

  test('the Authorization and headers may come from files, which the command line does not show', async () => {
    const folder = temporaryFolder('gdx-secrets');
    const file = (name: string, text: string) => {
      writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    const set = (...options: string[]) => desk.gdx(['channel', 'set', 'open', ...options]);
    const secret = file('secret', 'Bearer from-a-file\r\n');
    const headers = file('headers', 'X-Api-Key: in-a-file\nX-Tenant: 7\n');
    expect(await set('--authorization-file', secret, '--header-file', headers)).toMatchObject({
      exitCode: 0,
    });
    await desk.gdx(['channel', 'test', 'open']);
    expect(before.pages.at(-1)!.headers).toMatchObject({
      authorization: 'Bearer from-a-file',
      'x-api-key': 'in-a-file',
      'x-tenant': '7',
    });
    for (const [args, says] of [
      [['--authorization-file', headers], /must hold one line/],
      [['--header-file', secret], /is invalid/],
      [['--authorization-file', path.join(folder, 'none')], /cannot be read/],
      [['--authorization', 'x', '--authorization-file', secret], /exclude each other/],
    ] as const) {
      const { exitCode, stderr } = await set(...args);
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(says)]);
      expect(stderr).not.toMatch(/from-a-file|in-a-file/);
    }
    await set('--authorization', 'none-any-more', '--header', 'off');
  });

  slowTest('one that asks for the Authorization is a customer, where there is one', async () => {
    other.script = () => ({ status: 401, body: '' });
    expect(await move('acme')).toMatchObject({ exitCode: 0 });
    expect(await move('open')).toMatchObject({ exitCode: 1 });
  });

  test('the Authorization may come with the base URL that asks for it', async () => {
    await addTestChannel(desk.store, 'bare', before.baseUrl);
    other.script = () => ({ status: 401, body: '' });
    expect(await move('bare', '--authorization', 'Bearer x')).toMatchObject({ exitCode: 0 });
    expect([await urlOf('bare'), other.pages[0]!.headers['authorization']]).toEqual([
      other.baseUrl,
      undefined,
    ]);
  });

  test('an address that something else has written gets nothing, and the customer’s own mends it', async () => {
    const channels = desk.store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: 'acme' }, { $set: { base_url: other.baseUrl } });
    const tried = await desk.gdx(['channel', 'test', 'acme']);
    expect([tried.exitCode, tried.stderr, other.pages]).toEqual([
      78,
      `gdx: the secrets of acme are not sealed for ${other.baseUrl}; its address was not changed by gdx: ask the customer for theirs, then \`gdx channel set acme --base-url ...\`\n`,
      [],
    ]);
    const doctor = await desk.gdx(['doctor']);
    expect(doctor.stdout).toMatch(/fail +secrets +the secrets of acme are not sealed for http/);
    expect(await desk.gdx(['channel', 'set', 'acme', '--base-url', before.baseUrl])).toMatchObject({
      exitCode: 0,
    });
    await desk.gdx(['channel', 'test', 'acme']);
    expect(before.pages.at(-1)!.headers['authorization']).toMatch(/^Basic /);
  });

  test('--untested asks nobody, and is recorded', async () => {
    other.script = () => ({ status: 404, body: '' });
    expect(await move('acme', '--untested')).toMatchObject({ exitCode: 0 });
    expect([await urlOf('acme'), other.pages]).toEqual([other.baseUrl, []]);
    expect(await listActions(desk.store, 'acme', 1)).toMatchObject([
      { about: 'base_url, untested', before: { base_url: before.baseUrl } },
    ]);
  });

  slowTest('the base URL that it has already is not tested', async () => {
    other.script = () => ({ status: 404, body: '' });
    await move('acme', '--untested');
    expect(await move('acme', '--cadence', '30m')).toMatchObject({ exitCode: 0 });
    expect(other.pages).toEqual([]);
  });
});

describe('a notification address', () => {
  beforeAll(async () => {
    desk = await startDesk();
    await addTestChannel(desk.store, 'acme', 'https://acme.example');
  });

  const set = (url: string) => desk.gdx(['channel', 'set', 'acme', '--notify-url', url, '--json']);
  const stored = async () => (await findChannel(desk.store, 'acme'))!.notify_url;

  slowTest(
    'the operator sets a customer’s notification address and removes it; the customer is told first of itself',
    async () => {
      const done = await set('https://acme.example/hooks');
      expect([done.exitCode, JSON.parse(done.stdout).notify_url]).toEqual([0, 'https://acme.example/hooks']);
      expect(await lastNotice(desk.store, 'acme')).toMatchObject({ type: 'notifications.begun' });
      expect((await set('off')).exitCode).toBe(0);
      expect(await stored()).toBe('');
    },
  );

  test('is told of another base URL', async () => {
    await set('https://acme.example/hooks');
    await desk.gdx([
      'channel',
      'set',
      'acme',
      '--base-url',
      'https://new.example',
      '--untested',
      '--notify-url',
      'off',
    ]);
    const told = await listWaiting(desk.store, 'acme/https://acme.example/hooks');
    expect(told.map(({ type }) => type)).toContain('delivery.moved');
  });

  test.each(['acme.example', 'https://acme.example/?token=1', 'ftp://acme.example'])(
    'not %s',
    async (url) => {
      const { exitCode, stderr } = await set(url);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringMatching(/the notification address .*; correct --notify-url/),
      ]);
    },
  );
});

import { whyNotGenuine } from '../../docs/samples/verify-signature';
import { ANSWER_EFFECTS, type AnswerClass } from '../../domain/answer-effects';
import { readMarkers } from '../../store/feed/markers';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer } from '../setup/fake-customer';
import { startDesk, type Desk } from './start-desk';

let desk: Desk;
let customer: FakeCustomer;
let signingSecret: string;

beforeAll(async () => {
  desk = await startDesk();
  customer = await FakeCustomer.start();
  ({ signingSecret } = await addTestChannel(desk.store, 'acme', customer.baseUrl, {
    authorization: 'Basic abc',
  }));
});
afterAll(async () => {
  await customer.stop();
  await desk.close([]);
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
  expect(runs[0]!.stdout).toMatch(/^class +confirmed$/m);
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

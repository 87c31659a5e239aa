import { ROUTES } from '../../api/routes';
import { listActions } from '../../store/access/operator-actions';
import { addOperator } from '../../store/access/operators';
import { setAside } from '../../store/feed/set-aside';
import { addTestChannel } from '../setup/add-test-channel';
import { textOf } from '../farmer/visitor';
import type { OpsBrowser } from './ops-browser';
import { startOps, type Ops } from './start-ops';

const HOUR_MS = 3_600_000;

let ops: Ops;
let reader: OpsBrowser;
beforeAll(async () => {
  ops = await startOps();
  await addTestChannel(ops.store, 'acme', 'https://acme.example');
  await setAside(ops.store, {
    ...{ channel: 'acme', entity_type: 'tickets', record: '42-1', position: 1, failure: 'refused' },
    ...{ status: 422, answer: 'no', delivery: 'delivery/x' },
  });
  reader = await signedIn((await addOperator(ops.store, 'Ravi Read', 'read')).token);
});
afterAll(() => ops.stop());

async function signedIn(token: string): Promise<OpsBrowser> {
  const browser = ops.browser();
  await browser.get('/ops/sign-in');
  await browser.submit('/ops/sign-in', { token });
  return browser;
}

const sessions = () => ops.store.db.collection('operator_sessions');

const ACTS = ROUTES.filter(({ caller, method, path }) => caller === 'operator' && method === 'POST' && !/sign-out/.test(path)); // prettier-ignore

describe('who may only read', () => {
  test.each(ACTS.map(({ path }) => path.replace(':channel_slug', 'acme')))(
    'does not act: POST %s',
    async (path) => {
      await reader.get('/ops/channels/acme');
      const csrf = /name="csrf" value="([^"]*)"/.exec(reader.page.html)![1]!;
      const form = '5fe1a1b2-0000-4000-8000-000000000000';
      const fields = {
        csrf,
        form,
        reason: 'to see',
        which: 'all',
        entity_type: 'tickets',
        timestamp: '2026-10-01T00:00',
      };
      const page = await reader.follow('POST', path, String(new URLSearchParams(fields)));
      expect([page.status, textOf(page.html)]).toEqual([
        403,
        expect.stringContaining('You may look, not act'),
      ]);
      expect(await listActions(ops.store, undefined, 9)).toEqual([]);
      expect(ops.signals).toEqual([]);
    },
  );

  test('sees every page, without the buttons', async () => {
    expect((await reader.get('/ops')).status).toBe(200);
    const { status, html } = await reader.get('/ops/channels/acme');
    expect([status, textOf(html)]).toEqual([200, expect.stringContaining('You may look, not act')]);
    expect(html).toContain('42-1');
    expect([...html.matchAll(/<form[^>]* action="([^"]*)"/g)].map(([, action]) => action)).toEqual([
      '/ops/sign-out',
      '/ops/channels/acme#deliveries',
    ]);
    expect(
      (await reader.get('/ops/channels/acme/reset?entity_type=tickets&timestamp=2026-10-01')).status,
    ).toBe(403);
  });

  test('is no one who was added before there were roles', async () => {
    const { token } = await addOperator(ops.store, 'Olga Old', 'operate');
    await ops.store.db.collection('operators').updateOne({ name: 'Olga Old' }, { $unset: { role: 1 } });
    const { html } = await (await signedIn(token)).get('/ops/channels/acme');
    expect(html).toContain('action="/ops/channels/acme/pause"');
  });
});

describe('a session of /ops ends', () => {
  test('after 30 minutes without a page', async () => {
    const browser = await signedIn(ops.token);
    const { _id, expires_at } = (await sessions().find().sort({ expires_at: -1 }).limit(1).next())!;
    expect((expires_at.getTime() - Date.now()) / HOUR_MS).toBeCloseTo(0.5, 2);
    await sessions().updateOne({ _id }, { $set: { expires_at: new Date(Date.now() + 60_000) } });
    expect((await browser.get('/ops')).status).toBe(200);
    const later = (await sessions().findOne({ _id }))!;
    expect((later['expires_at'].getTime() - Date.now()) / HOUR_MS).toBeCloseTo(0.5, 2);
    await sessions().updateOne({ _id }, { $set: { expires_at: new Date() } });
    expect((await browser.get('/ops')).status).toBe(401);
  });

  test('after 8 hours, whatever happens meanwhile', async () => {
    const browser = await signedIn(ops.token);
    const { _id, ends_at } = (await sessions().find().sort({ ends_at: -1 }).limit(1).next())!;
    expect((ends_at.getTime() - Date.now()) / HOUR_MS).toBeCloseTo(8, 1);
    await sessions().updateOne({ _id }, { $set: { ends_at: new Date() } });
    expect((await browser.get('/ops')).status).toBe(401);
  });
});

import type { DeliverResult } from '../../../domain/delivery';
import { type Scene, withScene } from '../../commit-order/scene';
import type { Reply } from '../../setup/fake-customer';
import { slowTest } from '../../setup/cases';

// The table of docs/contract.md C8: every status, with what it is taken for. `searched` and `halved` go on by
// themselves (test/workflows/refused-records.test.ts); here it matters that nothing but a 2xx moves the marker.
const CONFIRMED = [200, 201, 202, 203, 204, 206, 299];
const NOT_CONFIRMED: Record<string, { statuses: number[]; advice?: RegExp }> = {
  unavailable: { statuses: [408, 425, 500, 502, 503, 504, 507, 599] },
  throttled: { statuses: [429] },
  refused: { statuses: [400, 409, 422], advice: /what its endpoint expects; nothing was set aside$/ },
  unauthorized: { statuses: [401, 403, 407], advice: /^check the channel’s authorization$/ },
  gone: { statuses: [410], advice: /^ask the customer whether the feed is still wanted$/ },
  misconfigured: {
    statuses: [300, 301, 302, 303, 304, 307, 308, 402, 404, 405, 406, 411, 415, 418, 451, 499, 501, 505],
    advice: /^check the channel’s base URL$/,
  },
};

const all = Object.entries(NOT_CONFIRMED).flatMap(([failure, { statuses, advice }]) =>
  statuses.map((status) => ({ status, failure, advice })),
);

/** One attempt at a window of two records, from the marker. */
async function answered(scene: Scene, reply: Reply): Promise<DeliverResult & { from: number }> {
  scene.customer.script = () => reply;
  const [input] = await scene.plan();
  return { ...(await scene.attempt(input!)), from: input!.from };
}

slowTest('every status of the table is taken for what it is, and only a 2xx moves the marker', () =>
  withScene(10, async (scene) => {
    for (const status of CONFIRMED) {
      await scene.push('T1', 'T2');
      const { end, from } = await answered(scene, status);
      expect([status, end]).toEqual([status, 'delivered']);
      expect(await scene.position()).toBe(from + 2);
    }
    await scene.push('T1', 'T2');
    const kept = await scene.position();
    for (const { status, failure, advice } of all) {
      const { unconfirmed } = await answered(scene, status);
      expect(unconfirmed).toMatchObject({ status, failure, retry_after_ms: null });
      expect(unconfirmed!.reason).toMatch(new RegExp(`^answered ${status}( to every record tried)?$`));
      if (advice) expect(unconfirmed!.advice).toMatch(advice);
      else expect(unconfirmed!.advice).toBeUndefined();
      expect(await scene.position()).toBe(kept);
    }
  }),
);

test('413 to a page halves it; the marker stays', () =>
  withScene(10, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4');
    const { end, from } = await answered(scene, 413);
    expect(end).toBe('resized');
    expect(await scene.position()).toBe(from);
    expect(await scene.plan()).toMatchObject([{ page_size: 2 }]);
  }));

const RETRY_AFTER: [text: string, wait: number | null][] = [
  ['120', 120_000],
  ['0', 1_000],
  ['86400', 3_600_000],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 1_000],
  ['soon', null],
  ['-5', null],
  ['1e3', null],
];

test('a Retry-After is kept between a second and an hour, in seconds or as a date; others are left aside', () =>
  withScene(10, async (scene) => {
    await scene.push('T1');
    const askedBy = async (status: number, text: string) => {
      const { unconfirmed } = await answered(scene, { status, headers: { 'retry-after': text } });
      return unconfirmed!.retry_after_ms;
    };
    for (const status of [429, 503]) {
      for (const [text, wait] of RETRY_AFTER)
        expect([text, await askedBy(status, text)]).toEqual([text, wait]);
    }
    const asked = await askedBy(429, new Date(Date.now() + 600_000).toUTCString());
    expect(Math.abs(asked! - 600_000)).toBeLessThan(60_000);
  }));

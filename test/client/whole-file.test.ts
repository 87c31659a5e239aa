import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mapping } from '../../client/push/mapping-schema';
import { createProgress } from '../../client/push/progress';
import { pushFile } from '../../client/push/push-file';
import type { ServiceAnswer } from '../../client/service/service-client';
import { temporaryFolder } from '../setup/temporary-folder';
import { slowTest } from '../setup/cases';

// A file that has every record of its type: docs/contract.md E21. The service here is a table; whole-file.slow.test.ts asks the real one.

const folder = temporaryFolder('whole');
let held: Map<string, { deleted_at?: string }>;
let pushes: { id: string; deleted?: boolean }[][];
beforeEach(() => {
  [held, pushes] = [new Map(), []];
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(path.join(folder, '.gdx-push'), { recursive: true, force: true });
});

const DAY = new Date('2026-11-01T06:00:00Z');
const RECORD = { id: 'id', name: 'id', deleted_at: 'gone' };
const hold = (count: number) => {
  for (let index = 0; index < count; index++) held.set(String(index), {});
};

interface Ordered {
  whole?: Mapping['whole'];
  year?: string;
  again?: boolean;
  stopAt?: number;
  day?: number;
  dryRun?: boolean;
  deleteAtMost?: number;
  target?: string | undefined;
}

/** Pushes a file with these ids; of `5 x` the record is deleted. */
async function push(
  ids: string[],
  {
    whole = {},
    year = '2026',
    again = false,
    stopAt,
    day = 0,
    dryRun = false,
    deleteAtMost,
    target = 'here',
  }: Ordered = {},
) {
  const file = path.join(folder, `accounts-${year}.csv`);
  const rows = ids.map((id) => `${id.split(' ')[0]},${id.includes(' ') ? '2026-10-01T00:00:00Z' : ''}\n`);
  writeFileSync(file, `id,gone\n${rows.join('')}`);
  const at = new Date(DAY.getTime() + day * 86_400_000);
  utimesSync(file, at, at);
  const client = {
    async push(body: Buffer, _requestId: string, isDry: boolean): Promise<ServiceAnswer> {
      if (isDry) return { status: 200, body: {} } as ServiceAnswer;
      const { data } = JSON.parse(body.toString()) as { data: [{ 'update-accounts': { accounts: { id: string; deleted?: boolean; deleted_at?: string }[] } }] }; // prettier-ignore
      const { accounts } = data[0]['update-accounts'];
      if (pushes.push(accounts) === stopAt) throw new Error('stopped');
      for (const { id, deleted, deleted_at } of accounts)
        held.set(id, deleted || deleted_at ? { deleted_at: deleted_at ?? 'now' } : {});
      return { status: 204, body: undefined } as ServiceAnswer;
    },
    receipt: async () => ({ status: 404 }) as ServiceAnswer,
    async *held() {
      for (const [id, { deleted_at }] of [...held].sort()) yield { id, ...(deleted_at && { deleted_at }) };
    },
  };
  const record = { ...RECORD, year: { value: year } };
  const mapping: Mapping = { type: 'accounts', own_fields: ['year'], record, whole };
  const progress = createProgress({ write: () => true });
  return pushFile(file, {
    client,
    mapping,
    batchSize: 10,
    dryRun,
    again,
    deleteAtMost,
    target,
    progress,
  });
}

const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => String(from + index));
const live = () => [...held].filter(([, { deleted_at }]) => !deleted_at).map(([id]) => id).sort(); // prettier-ignore

test('what the service holds and the file has not is deleted after the last batch', async () => {
  hold(100);
  held.set('old', { deleted_at: 'before' });
  expect(await push(ids(4, 102))).toMatchObject({
    ...{ state: 'pushed', records: 98, deleted: 4 },
    deleted_ids: ['0', '1', '2', '3'],
  });
  expect(live()).toEqual(ids(4, 102).sort());
  expect(pushes.at(-1)).toEqual(['0', '1', '2', '3'].map((id) => ({ id, deleted: true })));
  expect(pushes.slice(0, -1).flat().map(({ id }) => id)).toEqual(ids(4, 102)); // prettier-ignore
});

test('a record that the file itself has as deleted is not deleted once more', async () => {
  hold(20);
  expect(await push([...ids(1, 20), '0 x'])).toMatchObject({ deleted: 0 });
  expect(held.get('0')).toEqual({ deleted_at: '2026-10-01T00:00:00Z' });
});

test('a dry run says what it would delete', async () => {
  hold(100);
  expect(await push(ids(4, 100), { dryRun: true })).toMatchObject({
    ...{ state: 'checked', deleted: 4 },
    deleted_ids: ['0', '1', '2', '3'],
  });
  expect(live()).toHaveLength(100);
});

describe('nothing of a file is sent that', () => {
  const refused = async (given: string[], ordered: Ordered, says: RegExp) => {
    const before = pushes.length;
    await expect(push(given, ordered)).rejects.toThrow(says);
    expect(pushes).toHaveLength(before);
  };

  test('has no record', async () => {
    hold(3);
    await refused([], {}, /has no record, and would delete all accounts/);
  });

  test('would delete more than a tenth, unless the mapping says how much', async () => {
    hold(100);
    await refused(ids(11, 100), {}, /would delete 11 of the 100 accounts that the service holds, more than 10 %: 0, 1, 10, 2, 3, 4, 5, 6, 7, 8 and 1 more/); // prettier-ignore
    await refused(ids(31, 100), { whole: { delete_at_most: '30 %' } }, /would delete 31/);
    expect(await push(ids(30, 100), { whole: { delete_at_most: '30 %' } })).toMatchObject({ deleted: 30 });
  });

  test('is older than the last, by its time or by deleted records that come back', async () => {
    hold(40);
    await push(ids(2, 40), { day: 2 });
    await refused(
      ids(2, 41),
      { day: 1 },
      /is of 2026-11-02 06:00:00, and one of 2026-11-03 06:00:00 was pushed whole/,
    );
    await refused(ids(1, 40), { day: 3 }, /has "1" again, which the last whole file had deleted/);
    expect(await push(ids(1, 40), { day: 3, again: true })).toMatchObject({ state: 'pushed' });
    expect(live()).toEqual(ids(1, 40).sort());
  });
});

test('of a few records as well no more than a tenth is deleted, unless the command says how much', async () => {
  hold(7);
  const refused = expect(push(ids(1, 7))).rejects;
  await refused.toMatchObject({
    message: expect.stringContaining('would delete 1 of the 7 accounts'),
    advice: expect.stringContaining('say --delete-at-most 15 for this once'),
  });
  expect(await push(ids(4, 7), { deleteAtMost: 60 })).toMatchObject({ deleted: 4 });
  expect(await push(ids(0, 7), { day: 1, again: true })).toMatchObject({ deleted: 0 });
  const said = jest.mocked(process.stderr.write).mock.calls.join('\n');
  expect(said).toContain('4 accounts that the last whole file had deleted come back: 0, 1, 2, 3');
});

slowTest(
  'what was stopped within the deletions goes on there, and nothing that the file has is deleted',
  async () => {
    hold(200);
    await expect(push(ids(19, 200), { stopAt: 21 })).rejects.toThrow('stopped');
    expect(live()).toHaveLength(190);
    expect(await push(ids(19, 200))).toMatchObject({ deleted: 9 });
    expect(live()).toEqual(ids(19, 200).sort());
    await expect(push(['0', ...ids(19, 200)], { day: 1 })).rejects.toThrow('has "0" again');
  },
);

test('of a part of the records only what the file before had is deleted', async () => {
  const whole = { of: { year: 2026 } };
  hold(100); // of other years
  expect(await push(ids(200, 250), { whole })).toMatchObject({ deleted: 0 });
  expect(await push(ids(202, 250), { whole, day: 1 })).toMatchObject({ deleted: 2 });
  expect(live()).toHaveLength(148);
  await expect(push(['1'], { whole: { of: { year: 2025 } } })).rejects.toThrow(/another `year` than "whole" says: 2025, line 2: `2026`/); // prettier-ignore
});

describe('a record that has moved from one part of the records to another', () => {
  const part = (year: string, given: string[], day: number, target?: string) =>
    push(given, { whole: { of: { year: Number(year) }, delete_at_most: '50 %' }, year, day, target });
  beforeEach(async () => {
    await part('2025', ids(0, 20), 0);
    await part('2026', ids(20, 40), 0);
  });

  test('stays where the part that has it now is pushed first', async () => {
    await part('2025', [...ids(0, 20), '39'], 1);
    expect(await part('2026', ids(20, 39), 1)).toMatchObject({ deleted: 0 });
    expect(live()).toEqual(ids(0, 40).sort());
    expect(await part('2025', ids(0, 20), 2)).toMatchObject({ deleted: 1 }); // which has it no more
    expect(live()).toEqual(ids(0, 39).sort());
  });

  test('is deleted where the part that has it went to another place', async () => {
    await part('2025', [...ids(0, 20), '39'], 1, 'elsewhere');
    expect(await part('2026', ids(20, 39), 1)).toMatchObject({ deleted_ids: ['39'] });
  });

  test('is deleted where the part that had it before is older', async () => {
    await part('2025', [...ids(0, 20), '39'], 1); // and 2026, of which it was, is not exported any more
    await part('2025', [...ids(0, 20), '39', '40'], 2);
    expect(await part('2025', [...ids(0, 20), '40'], 3)).toMatchObject({ deleted_ids: ['39'] });
  });

  test('comes back where the part that had it is pushed first, and is not deleted once more', async () => {
    expect(await part('2025', ids(0, 19), 1)).toMatchObject({ deleted: 1 });
    await part('2026', ['19', ...ids(20, 40)], 1);
    expect(await part('2025', ids(0, 19).slice(1), 2)).toMatchObject({ deleted: 1, deleted_ids: ['0'] });
    expect(live()).toEqual(ids(1, 40).sort());
  });
});

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import path from 'node:path';
import type { CliError } from '../../client/cli-error';
import { explainError } from '../../client/explain-error';
import { createProgress } from '../../client/push/progress';
import { createPushClient } from '../../client/push/push-client';
import { pushFile } from '../../client/push/push-file';
import { pushWatched } from '../../client/push/push-files';
import type { PushOrders } from '../../client/push/push-orders';
import type { ServiceAnswer } from '../../client/service/service-client';
import { slowTest, nightlyTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { serveHere } from '../setup/serve-here';
import { temporaryFolder } from '../setup/temporary-folder';
import { requestBatches } from '../../client/push/batches';
import { tmpdir } from 'node:os';
import { filesOf, watchFolder } from '../../client/push/watch-folder';
import { draftMapping } from '../../client/push/draft-mapping';

describe('push file', () => {
  const folder = temporaryFolder('push-file');

  const EXPORTED = new Date('2026-11-01T06:00:00Z');

  let file: string;
  let sent: string[];
  let notes: jest.SpyInstance;
  beforeEach(() => {
    file = write('tickets.csv', 'id,account_id\nT-1,7\nT-2,7\nT-3,7\n');
    utimesSync(file, EXPORTED, EXPORTED);
    sent = [];
    notes = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    notes.mockRestore();
    rmSync(path.join(folder, '.gdx-push'), { recursive: true, force: true });
  });

  function write(name: string, content: string): string {
    writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  }

  const answer = (status: number, body: unknown = undefined) => ({ status, body }) as ServiceAnswer;
  const RECEIPT = { changed: 1, unchanged: 0, warning_count: 0, warnings: {} };
  const MAPPING = { type: 'tickets' as const, record: { id: 'id', account_id: 'account_id' } };

  /** One record a request. @param answered the status that a request is answered with */
  function orders(
    changes: Partial<PushOrders> = {},
    answered: (count: number) => number = () => 204,
    told: { refusal?: object; receipt?: object } = {},
  ) {
    return {
      client: {
        push: async (_body: Buffer, requestId: string) => {
          sent.push(requestId);
          return answer(answered(sent.length), told.refusal);
        },
        receipt: async () => answer(200, told.receipt ?? RECEIPT),
        async *held() {},
      },
      mapping: MAPPING,
      batchSize: 1,
      dryRun: false,
      again: false,
      target: 'one',
      progress: createProgress({ write: () => true }),
      ...changes,
    };
  }

  test('a file that one service has is pushed whole to another, and two files keep apart how far they are', async () => {
    const other = write('other.csv', 'id,account_id\nT-9,7\n');
    expect(await pushFile(file, orders())).toMatchObject({ state: 'pushed', records: 3, changed: 3 });
    expect(await pushFile(other, orders())).toMatchObject({ state: 'pushed', records: 1 });
    expect(await pushFile(file, orders())).toMatchObject({ state: 'pushed before', records: 3 });
    expect(await pushFile(file, orders({ target: 'two' }))).toMatchObject({ state: 'pushed', records: 3 });
    expect(sent).toHaveLength(7);
    expect(new Set(sent).size).toBe(7);
  });

  test('a file that is named again is pushed again where another of its kind was pushed since, and says so', async () => {
    const other = write('other.csv', 'id,account_id\nT-1,8\n');
    await pushFile(file, orders());
    expect(await pushFile(file, orders({ isAlone: true }))).toMatchObject({ state: 'pushed before' });
    await pushFile(other, orders());
    expect(await pushFile(file, orders())).toMatchObject({ state: 'pushed before' }); // as one of a folder
    notes.mockClear();
    expect(await pushFile(file, orders({ isAlone: true }))).toMatchObject({ state: 'pushed', records: 3 });
    expect(notes.mock.calls.join()).toContain(
      'it was pushed before, and other.csv after it: it is pushed again',
    );
  });

  test('a dry run beside a push of the same file mixes no rows of one into the records of the other', async () => {
    const rows = Array.from({ length: 3_000 }, (_, row) => `S-${row % 1_500},7,${row}\n`).join('');
    const long = write('lines.csv', `id,account,amount\n${rows}`);
    const bodies: string[] = [];
    const { client, ...others } = orders({
      mapping: {
        type: 'settlements',
        gather: true,
        record: { id: 'id', account_id: 'account', lines: { each: 'rows', item: { amount: 'amount' } } },
      },
      batchSize: 1_000,
    });
    const push = async (body: Buffer, _id: string, dryRun: boolean) => {
      if (!dryRun) bodies.push(body.toString());
      return answer(dryRun ? 200 : 204);
    };
    const both = [false, true].map((dryRun) =>
      pushFile(long, { ...others, dryRun, client: { ...client, push } }),
    );
    expect(await Promise.all(both)).toEqual([
      expect.objectContaining({ state: 'pushed', records: 1_500 }),
      expect.objectContaining({ state: 'checked', records: 1_500 }),
    ]);
    const sums = bodies.flatMap((body) => [...body.matchAll(/"lines":\[[^\]]*\]/g)].map(([lines]) => lines));
    expect(sums).toHaveLength(1_500);
    expect(sums.filter((lines) => lines.match(/amount/g)!.length !== 2)).toEqual([]);
    expect(readdirSync(path.join(folder, '.gdx-push')).filter((name) => name.includes('.rows'))).toEqual([]);
  });

  test('two types of one file are pushed at the same time', async () => {
    const loads = Array.from({ length: 50 }, (_, row) => `T-${row},${row}\n`).join('');
    const many = write('many.csv', `id,account_id\n${loads}`);
    const accounts = { type: 'accounts' as const, record: { id: 'account_id', name: 'account_id' } };
    const both = [MAPPING, accounts].map((mapping) => pushFile(many, orders({ mapping })));
    const pushed = expect.objectContaining({ state: 'pushed', records: 50 });
    expect(await Promise.all(both)).toEqual([pushed, pushed]);
  });

  test('rows that a killed push has left are removed after days, and not sooner', async () => {
    const [old, recent] = ['tickets.csv.rows-aaaaaa', 'tickets.csv.rows-bbbbbb'].map((name) =>
      path.join(folder, '.gdx-push', name),
    ) as [string, string];
    for (const one of [old, recent]) mkdirSync(one, { recursive: true });
    utimesSync(old, EXPORTED, EXPORTED);
    await pushFile(file, orders({ mapping: { ...MAPPING, gather: true } }));
    expect([old, recent].map((one) => existsSync(one))).toEqual([false, true]);
  });

  test('a file that was stopped is not continued over another of its kind that was begun since', async () => {
    const isRefused = (count: number) => (count === 2 ? 422 : 204);
    await expect(pushFile(file, orders({}, isRefused))).rejects.toThrow(/refused lines 3 to 3/);
    await pushFile(write('newer.csv', 'id,account_id\nT-2,8\n'), orders());
    await pushFile(write('contracts.csv', 'id,account_id\nC-1,8\n'), orders({ target: 'another' }));
    sent = [];
    await expect(pushFile(file, orders())).rejects.toMatchObject({
      message: expect.stringMatching(
        /tickets\.csv was stopped after 1 of 3 records, and newer\.csv was begun since/,
      ),
      advice: expect.stringMatching(/push the newest, or say --again/),
    });
    expect(sent).toEqual([]);
    expect(await pushFile(file, orders({ again: true }))).toMatchObject({ state: 'pushed', records: 3 });
    expect(sent).toHaveLength(3);
  });

  test('ids that another file has with other content are said, with the first three, and not its own', async () => {
    const rows = (account: string) =>
      `id,account_id\n${[1, 2, 3, 4].map((one) => `T-${one},${account}\n`).join('')}`;
    await pushFile(write('casselton.csv', rows('7')), orders());
    await pushFile(write('casselton.csv', `${rows('8')}T-5,8\n`), orders());
    await pushFile(write('same.csv', 'id,account_id\nT-5,8\n'), orders());
    const said = () =>
      notes.mock.calls.join().match(/\d+ of its ids \w+ pushed from \S+ with other content: [^.]+/g);
    expect(said()).toBeNull();
    await pushFile(write('mapleton.csv', rows('9')), orders());
    expect(said()).toEqual([
      '4 of its ids were pushed from casselton.csv with other content: T-1, T-2, T-3, ',
    ]);
  });

  test('a push that was refused midway resumes there, under the same request ids; --again starts over', async () => {
    await expect(
      pushFile(
        file,
        orders({}, (count) => (count === 2 ? 422 : 204)),
      ),
    ).rejects.toThrow(/refused lines 3 to 3 with 422/);
    expect(await pushFile(file, orders())).toMatchObject({ state: 'pushed', records: 3, changed: 3 });
    const [run] = sent[0]!.split(/-0$/);
    expect(sent).toEqual([0, 1, 1, 2].map((batch) => `${run}-${batch}`));
    await pushFile(file, orders({ again: true }));
    expect(sent).toHaveLength(7);
    expect(sent[4]!).not.toBe(sent[0]);
  });

  test.each([
    ['a cause that has its own cure', 'id,account_id\nT-1,\n'],
    ['a file that cannot be read', 'id,account_id\n"T-1,7\n'],
    ['a file that is none of rows', '%PDF-1.7\n'],
  ])('%s is said with one cure, and that the same is run again', async (_, text) => {
    const refused: unknown = await pushFile(write('bad.csv', text), orders()).catch(
      (error: unknown) => error,
    );
    const { message, advice } = refused as CliError;
    expect(`${message}; ${advice}`.match(/\b(?:correct|close|export) \w+ \w+/g)).toHaveLength(1);
    expect(advice).toMatch(/run the same again; nothing of it was sent$/);
  });

  const CHANGES: [how: string, change: () => void][] = [
    [
      'grows within one moment',
      () => {
        appendFileSync(file, 'T-4,7\n');
        utimesSync(file, EXPORTED, EXPORTED);
      },
    ],
    [
      'is rewritten with as many bytes',
      () => void write('tickets.csv', 'id,account_id\nT-1,8\nT-2,8\nT-3,8\n'),
    ],
  ];

  test.each(CHANGES)('nothing more is sent of a file that %s while it is pushed', async (_, change) => {
    const answered = () => (change(), 204);
    await expect(pushFile(file, orders({}, answered))).rejects.toThrow(/changed while it was pushed/);
    expect(sent).toHaveLength(1);
    expect(await pushFile(file, orders())).toMatchObject({ state: 'pushed' });
  });

  test.each(CHANGES)('nothing is sent of a file that %s while it is checked', async (_, change) => {
    const checking = (_: string, records: number) => void (records === 1 && change());
    const progress = { ...createProgress({ write: () => true }), checking };
    await expect(pushFile(file, orders({ progress }))).rejects.toThrow(/changed while it was pushed/);
    expect(sent).toEqual([]);
  });

  nightlyTest(
    'nothing is sent that was not checked of a file that is rewritten in place within one moment',
    async () => {
      const rows = (account: number) =>
        Array.from({ length: 60_000 }, (_, row) => `T-${row + 100_000},${account}\n`).join('');
      const large = write('large.csv', `id,account_id\n${rows(7)}`);
      utimesSync(large, EXPORTED, EXPORTED);
      const change = () => {
        write('large.csv', `id,account_id\n${rows(8)}`);
        utimesSync(large, EXPORTED, EXPORTED);
        return 204;
      };
      const pushed = pushFile(large, orders({ batchSize: 5_000 }, change));
      await expect(pushed).rejects.toThrow(/changed while it was pushed/);
      expect(sent.length).toBeLessThan(12);
    },
  );

  test('another file of the same name is pushed, and the same one by a mapping that was corrected', async () => {
    await pushFile(file, orders());
    write('tickets.csv', 'id,account_id\nT-1,8\nT-2,7\nT-3,7\n');
    expect(await pushFile(file, orders())).toMatchObject({ state: 'pushed', records: 3 });
    const mapping = { ...MAPPING, record: { ...MAPPING.record, weight_uom: { value: 'lb' } } };
    expect(await pushFile(file, orders({ mapping }))).toMatchObject({ state: 'pushed', records: 3 });
    expect(new Set(sent).size).toBe(9);
  });

  slowTest('a push that was stopped midway starts over with batches of another size', async () => {
    const refused = pushFile(
      file,
      orders({}, (count) => (count === 3 ? 422 : 204)),
    );
    await expect(refused).rejects.toThrow(/refused lines 4 to 4/);
    expect(await pushFile(file, orders({ batchSize: 2 }))).toMatchObject({ state: 'pushed', records: 3 });
    expect(sent).toHaveLength(5);
  });

  test('a dry run checks all of a file that was pushed before', async () => {
    await pushFile(file, orders());
    const checked = await pushFile(
      file,
      orders({ dryRun: true }, () => 200),
    );
    expect(checked).toMatchObject({ state: 'checked', records: 3, changed: null });
    expect(sent).toHaveLength(6);
  });

  test.each([200, 202, 302])(
    'what answers %i is not the service: nothing counts as stored',
    async (status) => {
      await expect(
        pushFile(
          file,
          orders({}, () => status),
        ),
      ).rejects.toThrow(`refused lines 2 to 2 with ${status}`);
      expect(sent).toHaveLength(1);
      expect(await pushFile(file, orders())).toMatchObject({ state: 'pushed', records: 3 });
    },
  );

  test('a refusal that is not the service’s own is told with its status', async () => {
    const told = { refusal: { code: 7, validation_messages: { id: 'x' } } };
    const refused = pushFile(
      file,
      orders({}, () => 403, told),
    );
    await expect(refused).rejects.toThrow('refused lines 2 to 2 with 403 (no message)');
  });

  test('a request that is too large for the service, or for a proxy, is to be made smaller', async () => {
    const tooLarge = orders({}, () => 413);
    await expect(pushFile(file, tooLarge)).rejects.toMatchObject({
      message: expect.stringContaining('413'),
      advice: expect.stringMatching(/^run it again with a smaller --batch, such as --batch 100/),
    });
  });

  test('its figures cover all batches, even those before it was stopped', async () => {
    const told = { receipt: { ...RECEIPT, unchanged: 2, warning_count: 3 } };
    await expect(
      pushFile(
        file,
        orders({}, (count) => (count === 3 ? 422 : 204), told),
      ),
    ).rejects.toThrow(/refused/);
    expect(
      await pushFile(
        file,
        orders({}, () => 204, told),
      ),
    ).toMatchObject({
      records: 3,
      changed: 3,
      unchanged: 6,
      warnings: 9,
    });
  });

  test.each<[what: string, receipt: ServiceAnswer, isSaid: boolean]>([
    ['that is gone', answer(404), false],
    ['of a proxy', answer(502, '<html>'), true],
    ['that is none', answer(200, { ...RECEIPT, changed: '1' }), true],
    ['whose warnings are none', answer(200, { ...RECEIPT, warnings: { id: 'x' } }), true],
  ])('a receipt %s adds nothing to its figures', async (_what, receipt, isSaid) => {
    const given = orders();
    const client = { ...given.client, receipt: async () => receipt };
    expect(await pushFile(file, { ...given, client })).toMatchObject({ records: 3, changed: 0, warnings: 0 });
    const said = notes.mock.calls.flat().join('');
    expect(said.includes('lines 2 to 2 are stored, but the service does not say what they changed')).toBe(
      isSaid,
    );
  });

  test('if its request ids are taken, it says how to start over', async () => {
    const reused = { refusal: { code: 'REQUEST_ID_REUSED', message: 'other content' } };
    const refused = await pushFile(
      file,
      orders({}, () => 422, reused),
    ).catch((error: Error & { advice: string }) => error.advice);
    const [, checkpoint] = /remove (\S+), and it is pushed from its beginning$/.exec(String(refused))!;
    rmSync(checkpoint!);
    await pushFile(file, orders());
    expect(new Set(sent).size).toBe(4);
  });

  describe('a refusal of the file system is reported with its path, not as a defect of gdx:', () => {
    const at = (...names: string[]) => path.join(folder, ...names);
    const lineOf = async (pushed: string) =>
      explainError(await pushFile(pushed, orders()).catch((error: unknown) => error));

    test('a file that cannot be read', async () => {
      mkdirSync(at('folder.csv'));
      for (const [name, code] of [
        ['folder.csv', 'EISDIR'],
        ['gone.csv', 'ENOENT'],
      ] as const)
        expect(await lineOf(at(name))).toEqual({
          line: `${at(name)} cannot be read (${code}); check that it is there and that gdx may read it`,
          exitCode: 1,
        });
    });

    test('a checkpoint that cannot be read or written', async () => {
      const advice = `let gdx read and write in ${at('.gdx-push')}, or push a copy that is in another folder`;
      const checkpoint = at('.gdx-push', 'tickets.csv.json');
      write('.gdx-push', '');
      expect(await lineOf(file)).toEqual({
        line: `the checkpoint ${checkpoint} cannot be read (ENOTDIR); ${advice}`,
        exitCode: 1,
      });
      rmSync(at('.gdx-push'));
      const last = at(
        '.gdx-push',
        `last-tickets-${createHash('sha256').update('one').digest('hex').slice(0, 12)}.json`,
      );
      mkdirSync(last, { recursive: true });
      expect(await lineOf(file)).toEqual({
        line: `the checkpoint ${last} cannot be written (EISDIR); ${advice}`,
        exitCode: 1,
      });
      expect(readdirSync(at('.gdx-push'))).toEqual([path.basename(last)]);
      expect(sent).toEqual([]);
    });
  });
});

describe('progress', () => {
  test('the time left is judged by what this run has sent of this file', () => {
    let seconds = 0;
    const lines: string[] = [];
    const write = (line: unknown) => lines.push(String(line)) > 0;
    const progress = createProgress({ write }, () => seconds * 1_000);
    const at = (now: number, file: string, done: number, total: number) => {
      seconds = now;
      progress.pushing(file, done, total);
    };
    at(0, 'a.csv', 9_000, 10_000); // goes on after these
    at(10, 'a.csv', 9_100, 10_000);
    progress.end();
    at(20, 'b.csv', 0, 1_000);
    at(30, 'b.csv', 500, 1_000);
    expect(lines).toEqual([
      'a.csv: 91 %, 9,100 of 10,000 records, 90 s left\n',
      'b.csv: 0 %, 0 of 1,000 records\n',
      'b.csv: 50 %, 500 of 1,000 records, 10 s left\n',
    ]);
  });
});

describe('batches', () => {
  const MIB = 1024 * 1024;

  /** The lines of each batch of such records. */
  async function linesOf(notes: string[], size: number): Promise<number[][]> {
    const records = (async function* () {
      for (const [index, note] of notes.entries())
        yield { line: index + 2, record: { id: `T-${index}`, note } };
    })();
    const found: number[][] = [];
    for await (const { number, lines } of requestBatches(records, { type: 'tickets' }, size)) {
      expect(number).toBe(found.length);
      found.push(lines);
    }
    return found;
  }

  test('a request has as many records as asked for, the last one the rest', async () => {
    expect(await linesOf(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([[2, 3], [4, 5], [6]]);
    expect(await linesOf(['a', 'b'], 2)).toEqual([[2, 3]]);
    expect(await linesOf([], 2)).toEqual([]);
  });

  test('a long run of records that are in memory leaves time to hear a signal', async () => {
    let isHeard = false;
    setTimeout(() => (isHeard = true), 1);
    async function* untilHeard() {
      for (let line = 1; !isHeard && line < 3_000_000; line++) yield { line, record: { id: 'T-1' } };
    }
    for await (const _ of requestBatches(untilHeard(), { type: 'tickets' }, 1_000));
    expect(isHeard).toBe(true);
  });

  slowTest('a request stays well below the 16 MiB that the service takes, in any alphabet', async () => {
    const large = 'x'.repeat(5 * MIB);
    expect(await linesOf([large, large, large, 'a', 'b'], 1_000)).toEqual([[2], [3], [4, 5, 6]]);
    expect(await linesOf(['x'.repeat(7 * MIB), 'x'.repeat(14 * MIB), 'a'], 1_000)).toEqual([[2], [3], [4]]);
    const wide = '\u20ac'.repeat(3 * MIB); // three bytes each
    expect(await linesOf([wide, wide], 1_000)).toEqual([[2], [3]]);
  });
});

describe('watch folder', () => {
  const EXPORTED = new Date('2026-11-01T06:00:00Z');
  const LATER = new Date(Date.now() + 60_000); // also where a file system counts time in large steps

  const watched = mkdtempSync(path.join(tmpdir(), 'gdx-watched-'));
  afterEach(() => rmSync(watched, { recursive: true, force: true })); // which ends the watching, too

  test('in a folder that is watched a file comes once it has stopped growing, and again when it is another', async () => {
    const put = (name: string, content: string) => writeFileSync(path.join(watched, name), content);
    for (const name of ['a.csv', 'b.csv', 'c.csv', 'notes.doc', '~$d.xlsx', '.hidden']) put(name, '1');
    const passedOver: string[] = [];
    const files = watchFolder(watched, 1, (file) => passedOver.push(path.basename(file)));
    const next = async () => path.basename((await files.next()).value as string);
    expect(await next()).toBe('a.csv');
    put('b.csv', '12'); // still being written
    expect([await next(), await next()]).toEqual(['c.csv', 'b.csv']);
    put('a.csv', '123');
    expect(await next()).toBe('a.csv');
    put('b.csv', '21'); // as long as before
    utimesSync(path.join(watched, 'b.csv'), LATER, LATER);
    expect(await next()).toBe('b.csv');
    expect(passedOver).toEqual(['notes.doc', '~$d.xlsx']);
  }, 10_000);

  test('a watched folder that is away for a moment is looked for again, and misses no change', async () => {
    const notes = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    mkdirSync(watched, { recursive: true });
    const at = (name: string) => path.join(watched, name);
    const put = (name: string, content: string) => writeFileSync(at(name), content);
    put('a.csv', '1');
    utimesSync(at('a.csv'), EXPORTED, EXPORTED);
    mkdirSync(at('b.csv'));
    symlinkSync(at('a.csv'), at('latest.csv'));
    symlinkSync(at('gone'), at('c.csv'));
    const passedOver: string[] = [];
    const again = new Set<string>();
    const files = watchFolder(
      watched,
      1,
      (file, why) => passedOver.push(`${path.basename(file)} ${why}`),
      again,
    );
    const next = async () => path.basename((await files.next()).value as string);
    expect([await next(), await next()]).toEqual(['a.csv', 'latest.csv']);
    expect(passedOver).toEqual(['b.csv a folder', 'c.csv a link to nothing']);
    again.add(at('latest.csv')); // it could not be read
    expect(await next()).toBe('latest.csv');
    put('a.csv', '2'); // as long as before, and its time is set back
    utimesSync(at('a.csv'), EXPORTED, EXPORTED);
    expect([await next(), await next()].sort()).toEqual(['a.csv', 'latest.csv']);
    renameSync(watched, `${watched}-away`);
    const later = next();
    await eventually(() =>
      expect(notes.mock.calls.join()).toContain('cannot be read (ENOENT): it is looked for again'),
    );
    renameSync(`${watched}-away`, watched);
    put('d.csv', '1');
    expect(await later).toBe('d.csv');
    expect(notes.mock.calls.join()).toContain('is there again');
    notes.mockRestore();
  });

  test('files of a folder come in the order of their times, and those of one time by their names', async () => {
    mkdirSync(watched, { recursive: true });
    const put = (name: string, at: Date) => {
      writeFileSync(path.join(watched, name), '1');
      utimesSync(path.join(watched, name), at, at);
    };
    put('tickets-10.csv', LATER);
    put('tickets-8.csv', EXPORTED);
    put('tickets-9.csv', EXPORTED);
    put('contracts.csv', LATER);
    const order = ['tickets-8.csv', 'tickets-9.csv', 'contracts.csv', 'tickets-10.csv'];
    expect((await filesOf(watched)).files.map((file) => path.basename(file))).toEqual(order);
    const files = watchFolder(watched, 1, () => {});
    for (const name of order) expect((await files.next()).value).toBe(path.join(watched, name));
  });

  test('a file of a watched folder that is away for a moment is pushed to its end before a newer one is begun', async () => {
    mkdirSync(watched, { recursive: true });
    const at = (name: string) => path.join(watched, name);
    const [there, away] = [`${watched}-there`, `${watched}-away`];
    mkdirSync(there);
    const old = path.join(there, 'a.csv');
    writeFileSync(old, 'id,account_id\nT-1,7\nT-2,7\nT-3,7\n');
    utimesSync(old, EXPORTED, EXPORTED);
    symlinkSync(old, at('a.csv'));
    writeFileSync(at('b.csv'), 'id,account_id\nT-3,8\n');
    const notes = jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      if (`${text}`.includes('a.csv cannot be read') && existsSync(away)) renameSync(away, there);
      return true;
    });
    const pushed: string[] = [];
    const server = createServer((request, response) => {
      const body: Buffer[] = [];
      request.on('data', (chunk: Buffer) => body.push(chunk));
      request.on('end', () => {
        if (request.method === 'POST') pushed.push(gunzipSync(Buffer.concat(body)).toString());
        response.writeHead(request.method === 'POST' ? 204 : 404).end();
      });
    });
    const { url } = await serveHere(server);
    const failsOnce = (_: string, done: number) => {
      if (done === 1 && pushed.length === 1) renameSync(there, away);
    };
    const watching = pushWatched(
      watched,
      100,
      {
        client: createPushClient({ url, token: 't', retryForMs: undefined, onWait: () => {} }),
        mapping: { type: 'tickets', record: { id: 'id', account_id: 'account_id' } },
        ...{ batchSize: 1, dryRun: false, again: false, target: 'held' },
        progress: { ...createProgress({ write: () => true }), pushing: failsOnce },
      },
      false,
    );
    await eventually(() => expect(notes.mock.calls.join()).toContain('b.csv: pushed; 1 records'));
    await eventually(() => expect(notes.mock.calls.join()).toContain('a.csv: pushed; 3 records'));
    expect(pushed.map((body) => /T-\d","account_id":"\d/.exec(body)?.[0])).toEqual(
      ['1', '2', '3'].map((id) => `T-${id}","account_id":"7`).concat('T-3","account_id":"8'),
    );
    notes.mockImplementation(() => {
      throw new Error('watched long enough');
    });
    rmSync(watched, { recursive: true });
    await expect(watching).rejects.toThrow('watched long enough');
    notes.mockRestore();
  });

  test('a file that fails for a moment comes again before a newer one, and holds it up no longer', async () => {
    mkdirSync(watched, { recursive: true });
    const [old, recent] = [path.join(watched, 'b.csv'), path.join(watched, 'a.csv')];
    const put = (content: string) => {
      for (const file of [old, recent]) writeFileSync(file, content);
      utimesSync(old, EXPORTED, EXPORTED);
    };
    const again = new Set<string>();
    const files = watchFolder(watched, 1, () => {}, again);
    const next = async (fails = false) => {
      const file = (await files.next()).value as string;
      if (fails) again.add(file);
      return file;
    };
    put('1');
    expect([await next(true), await next(), await next()]).toEqual([old, old, recent]);
    put('12');
    expect([await next(true), await next(true), await next()]).toEqual([old, old, recent]);
  });

  test('a folder that cannot be read is said with its path', async () => {
    const gone = path.join(watched, 'gone');
    await expect(filesOf(gone)).rejects.toThrow(`${gone} cannot be read (ENOENT)`);
  });
});

describe('draft mapping', () => {
  const folder = temporaryFolder('draft');

  test('of two columns for one field the first gets it: no value replaces another unseen', async () => {
    const file = path.join(folder, 'd.csv');
    writeFileSync(file, 'ID;Net Weight;net_weight;Scale\nT-1;1;2;3\n');
    expect(await draftMapping(file, 'tickets')).toEqual({
      type: 'tickets',
      dialect: { delimiter: ';' },
      record: { id: 'ID', net_weight: 'Net Weight' },
      '?': { net_weight: ['2'], Scale: ['3'] },
    });
  });

  const nested = { owners: [{ party: { acct: '7' }, pct: 60 }, { party: { acct: '8' }, pct: 40 }], marks: ['a'] }; // prettier-ignore
  const loads = [
    { no: 1, by: 'x', net: { lb: 5 }, ...nested },
    { no: 2, by: 'x' },
  ];
  test.each([
    ['in a list of a list', { at: 'today', sites: [{ code: 'N' }, { code: 'S', loads }] }, 'sites[].loads[]'],
    ['in an object', { export: { system: 'x', rows: loads } }, 'export.rows[]'],
    ['alone', loads[0], undefined],
    ['one after the other', loads, undefined],
  ])('of JSON whose records are %s', async (_, written, property) => {
    const file = path.join(folder, 'd.json');
    writeFileSync(file, JSON.stringify(written));
    const draft = await draftMapping(file, 'tickets');
    expect(draft.dialect).toEqual(property && { property });
    expect(draft.record).toMatchObject({
      net_weight: 'net.lb',
      splits: { each: 'owners[]', item: { account_id: 'party.acct', split_percent: 'pct' } },
    });
    expect(draft['?']).toEqual(expect.objectContaining({ by: ['x'], marks: ['["a"]'] }));
  });

  const FIELD = path.join(__dirname, '../field/layouts');

  test('of UTF-16 of any length, of dBase, of one of several sheets', async () => {
    const file = path.join(folder, 'wide.csv');
    const rows = Array.from({ length: 30_000 }, (_, row) => `T-${row},7\r\n`).join('');
    writeFileSync(file, Buffer.from(`\ufeffid,account_id\r\n${rows}`, 'utf16le'));
    expect((await draftMapping(file, 'tickets')).record).toEqual({ id: 'id', account_id: 'account_id' });
    const ofTable = await draftMapping(path.join(FIELD, '19-scaletkt.dbf'), 'tickets');
    expect(ofTable.record).toMatchObject({ account_id: 'CUSTNO', net_weight: 'NET' });
    const site = path.join(FIELD, '23-mapleton.xlsx');
    expect(await draftMapping(site, 'tickets', 'Mapleton')).toMatchObject({
      dialect: { sheet_name: 'Mapleton' },
    });
  });

  test('of XML with the place of its records, of records as they are with nothing else', async () => {
    const xml = path.join(FIELD, '../cases/46-tickets.xml');
    expect(await draftMapping(xml, 'tickets')).toMatchObject({
      dialect: { property: 'Export.Tickets.Ticket[]' },
      record: { id: { from: ['Export.@site', '@no'] }, account_id: 'Acct' },
    });
    const file = path.join(folder, 'right.json');
    writeFileSync(file, JSON.stringify([{ id: 'T-1', account_id: '7', splits: [{ account_id: '7' }] }]));
    expect(await draftMapping(file, 'tickets')).toEqual({ type: 'tickets' });
  });

  test('with the one form that fits every date, and none where two read them differently', async () => {
    const file = path.join(folder, 'dates.csv');
    writeFileSync(file, 'id,contract_date,expires_on\n1,10/05/2026,10/05/2026\n2,10/25/2026,11/06/2026\n');
    const draft = await draftMapping(file, 'contracts');
    expect(draft.record).toEqual({ id: 'id', contract_date: 'contract_date', expires_on: 'expires_on' });
    expect(draft.dates).toEqual(['MM/DD/YYYY']);
    writeFileSync(file, 'id,contract_date\n1,10/05/2026\n2,10/06/2026\n');
    const unsure = await draftMapping(file, 'contracts');
    expect(unsure.dates).toBeUndefined();
    expect(unsure['?']).toEqual({ dates: ['MM/DD/YYYY', 'DD/MM/YYYY'] });
  });

  test('a file that cannot be read is said with its path', async () => {
    await expect(draftMapping(folder, 'tickets')).rejects.toThrow(`${folder} cannot be read (EISDIR)`);
  });
});

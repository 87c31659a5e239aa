import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProgress } from '../../cli/push/progress';
import { pushFile, type PushOrders } from '../../cli/push/push-file';
import type { ServiceAnswer } from '../../cli/service/service-client';

const folder = mkdtempSync(path.join(tmpdir(), 'gdx-push-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

let file: string;
let sent: string[];
let notes: jest.SpyInstance;
beforeEach(() => {
  file = write('tickets.csv', 'id,account_id\nT-1,7\nT-2,7\nT-3,7\n');
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

/** One record a request. @param answered the status that a request is answered with */
function orders(changes: Partial<PushOrders> = {}, answered: (count: number) => number = () => 204) {
  return {
    client: {
      push: async (_body: Buffer, requestId: string) => {
        sent.push(requestId);
        return answer(answered(sent.length));
      },
      receipt: async () => answer(200, RECEIPT),
    },
    mapping: { type: 'tickets' as const, columns: { id: 'id', account_id: 'account_id' } },
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

test('what was refused midway goes on there, under the same request ids; --again begins anew', async () => {
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

test('nothing more is sent of a file that changes meanwhile', async () => {
  const change = () => {
    appendFileSync(file, 'T-4,7\n');
    return 204;
  };
  await expect(pushFile(file, orders({}, change))).rejects.toThrow(/changed while it was pushed/);
  expect(sent).toHaveLength(1);
});

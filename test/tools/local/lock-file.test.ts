import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { releaseLock, takeLock, withLock } from '../../../tools/local/lock-file';
import { temporaryFolder } from '../../setup/temporary-folder';

const dir = temporaryFolder('lock');
const file = path.join(dir, 'fetch.lock');
afterEach(() => releaseLock(file));

test('the second taker is told who holds it', () => {
  expect(takeLock(file)).toBeUndefined();
  expect(takeLock(file)).toMatchObject({ pid: process.pid });
});

test.each([
  ['a holder that is gone', JSON.stringify({ pid: 2 ** 22 + 1 })],
  ['a holder whose number was used again', JSON.stringify({ pid: process.pid, born: 'another time' })],
  ['nothing readable', ''],
])('a lock with %s is taken over', (_, content) => {
  writeFileSync(file, content);
  expect(takeLock(file)).toBeUndefined();
});

test('work under one lock is done one after the other, and failing work lets go', async () => {
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await sleep(50);
    steps.push(`${name} ends`);
    throw new Error(name);
  };
  const both = ['first', 'second'].map((name) => withLock(file, work(name), () => undefined));
  await Promise.allSettled(both);
  expect(steps).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  expect(existsSync(file)).toBe(false);
});

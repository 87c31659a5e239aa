import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { watchFolder } from '../../cli/push/watch-folder';

const LATER = new Date(Date.now() + 60_000); // also where a file system counts time in large steps

const watched = mkdtempSync(path.join(tmpdir(), 'gdx-watched-'));
afterEach(() => rmSync(watched, { recursive: true, force: true })); // which ends the watching, too

test('in a folder that is watched a file comes once it has stopped growing, and again when it is another', async () => {
  const put = (name: string, content: string) => writeFileSync(path.join(watched, name), content);
  for (const name of ['a.csv', 'b.csv', 'c.csv']) put(name, '1');
  const files = watchFolder(watched, 1);
  const next = async () => path.basename((await files.next()).value as string);
  expect(await next()).toBe('a.csv');
  put('b.csv', '12'); // still being written
  expect([await next(), await next()]).toEqual(['c.csv', 'b.csv']);
  put('a.csv', '123');
  expect(await next()).toBe('a.csv');
  put('b.csv', '21'); // as long as before
  utimesSync(path.join(watched, 'b.csv'), LATER, LATER);
  expect(await next()).toBe('b.csv');
}, 10_000);

test('a folder that cannot be read is said with its path', async () => {
  const gone = path.join(watched, 'gone');
  await expect(watchFolder(gone, 1).next()).rejects.toThrow(`${gone} cannot be read (ENOENT)`);
});

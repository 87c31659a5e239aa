import { readdirSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../setup/temporary-folder';
import { makeRoot, NoEngine } from './make-root';

test('where the root cannot be made nothing is left of it, and nothing counts as played', async () => {
  const folder = temporaryFolder('gdx-engine', 'test');
  const { PATH } = process.env;
  process.env.PATH = folder; // no debootstrap
  const said: string[] = [];
  const made = makeRoot((line) => void said.push(line), path.join(folder, 'root'));
  await expect(made.finally(() => (process.env.PATH = PATH))).rejects.toThrow(NoEngine);
  expect(readdirSync(folder)).toEqual([]);
});

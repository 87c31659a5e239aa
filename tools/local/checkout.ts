import { existsSync } from 'node:fs';
import path from 'node:path';

/** The root of the checkout, both from the sources and from dist/. */
export const checkout = findUp(__dirname);

/** Downloads and local data; ignored by git. */
export const localDir = path.join(checkout, '.local');

function findUp(dir: string): string {
  if (existsSync(path.join(dir, 'package-lock.json')) || dir === path.dirname(dir)) return dir;
  return findUp(path.dirname(dir));
}

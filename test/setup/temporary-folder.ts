import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closeAtEnd, type Lifetime } from './close-at-end';

/** A folder of a test file's own, until its end. `test`: of the test that asks for it. */
export function temporaryFolder(name: string, of: Lifetime = 'file'): string {
  const { GDX_TEST_DIR } = process.env;
  const folder = mkdtempSync(path.join(GDX_TEST_DIR ?? tmpdir(), `${name}-`));
  closeAtEnd(() => rmSync(folder, { recursive: true, force: true }), of);
  return folder;
}

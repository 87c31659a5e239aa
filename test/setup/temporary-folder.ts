import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder of a test's own. The end of the run removes it, in the tier without parts the end of the test file. */
export function temporaryFolder(name: string): string {
  const { GDX_TEST_DIR } = process.env;
  const folder = mkdtempSync(path.join(GDX_TEST_DIR ?? tmpdir(), `${name}-`));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (!GDX_TEST_DIR) process.once('exit', removeFolder); // one-realm.js calls it by its name
  return folder;
}

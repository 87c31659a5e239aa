import { mkdtempSync } from 'node:fs';
import path from 'node:path';

/** A folder of a test's own, which goes with all that the run of the tests leaves. */
export const temporaryFolder = (name: string) =>
  mkdtempSync(path.join(process.env.GDX_TEST_DIR!, `${name}-`));

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { requireFreshBuild } from './require-fresh-build';
import { temporaryFolder } from './temporary-folder';

const root = temporaryFolder('build');
const BUNDLE = 'dist/worker/workflows.bundle.js';

function write(file: string, minute: number): void {
  const place = path.join(root, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, '');
  utimesSync(place, 60 * minute, 60 * minute);
}

test('tests of a build are refused where there is none, or where a source is newer', () => {
  write('config.ts', 1);
  write('store/markers/markers.ts', 1);
  const check = () => requireFreshBuild(root, ['config.ts', 'store']);
  expect(check).toThrow('dist/ is not built; run `npm run build`');
  write(BUNDLE, 2);
  expect(check).not.toThrow();
  write('store/markers/markers.ts', 3);
  expect(check).toThrow('store/markers/markers.ts is newer than dist/; run `npm run build`');
});

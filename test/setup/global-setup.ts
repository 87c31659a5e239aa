import { requireFreshBuild } from './require-fresh-build';
import { startTestParts } from './test-parts';

export default async function globalSetup({ maxWorkers }: { maxWorkers: number }): Promise<void> {
  requireFreshBuild();
  await startTestParts(maxWorkers);
}

import { startTestParts } from './test-parts';

export default async function globalSetup({ maxWorkers }: { maxWorkers: number }): Promise<void> {
  await startTestParts(maxWorkers);
}

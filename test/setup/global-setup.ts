import { startTestParts } from './test-parts';

export default async function globalSetup(): Promise<void> {
  await startTestParts();
}

import { stopTestParts } from './test-parts';

export default async function globalTeardown(): Promise<void> {
  await stopTestParts();
}

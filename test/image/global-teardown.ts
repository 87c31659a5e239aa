import { stopEngine } from '../docker/engine';
import { stopTestParts } from '../setup/test-parts';

export default async function globalTeardown(): Promise<void> {
  await stopTestParts();
  await stopEngine();
}

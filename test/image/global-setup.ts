import { startEngine } from '../docker/engine';
import { startTestParts } from '../setup/test-parts';
import { buildImage, nodeImage } from './build-image';

export default async function globalSetup({ maxWorkers }: { maxWorkers: number }): Promise<void> {
  await startEngine();
  const base = nodeImage();
  process.env.GDX_TEST_NODE_IMAGE = base;
  buildImage('demo-build', base); // the others copy from it
  process.env.GDX_TEST_DEMO_IMAGE = buildImage('demo', base);
  process.env.GDX_TEST_IMAGE = buildImage('runtime', base);
  await startTestParts(maxWorkers);
}

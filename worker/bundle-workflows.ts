import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { WORKFLOW_BUNDLE } from './workflow-bundle';

// Bundles the workflows at build time, so that a restarted worker does not spend its first seconds bundling.
async function main(): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(__dirname, '../workflows/index.js'),
    preloadModules: [path.join(__dirname, '../workflows/index.js')],
    logger: new DefaultLogger('WARN'),
  });
  writeFileSync(WORKFLOW_BUNDLE, code);
}

void main();

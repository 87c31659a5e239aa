import type { Client } from '@temporalio/client';

/** As `temporal worker deployment set-current-version` does. @param buildId '' for workers without one */
export const switchVersion = (client: Client, deploymentName: string, buildId: string) =>
  client.workflowService.setWorkerDeploymentCurrentVersion({
    namespace: process.env.TEMPORAL_NAMESPACE!,
    deploymentName,
    buildId,
  });

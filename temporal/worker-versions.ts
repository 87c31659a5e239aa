import type { Client } from '@temporalio/client';
import { tsToDate } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { unlessNotFound } from './grpc-codes';

const TIMEOUT_MS = 10_000;
const { WorkerDeploymentVersionStatus: Status } = temporal.api.enums.v1;

type VersionState = 'inactive' | 'current' | 'ramping' | 'draining' | 'drained';

interface WorkerVersion {
  build_id: string;
  /** `current` gets all tasks, `draining` may still have open ones, `inactive` never had any. */
  state: VersionState;
  first_seen: string | null;
}

export type WorkerVersions = ReturnType<typeof createWorkerVersions>;

/**
 * Reads and sets which worker build gets the tasks (docs/deploy.md). The deployment is named after the task queue, so
 * that two services in one namespace stay apart, unless a Worker Controller names it. All methods throw when Temporal
 * is away.
 */
export function createWorkerVersions(
  client: Client,
  { namespace, deploymentName }: { namespace: string; deploymentName: string },
) {
  const withTimeout = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + TIMEOUT_MS, call);
  const service = client.workflowService;
  const describe = () => withTimeout(() => service.describeWorkerDeployment({ namespace, deploymentName }));

  return {
    /** All versions, latest first; empty when no worker was ever started with a build id. */
    async list(): Promise<WorkerVersion[]> {
      const info = (await unlessNotFound(describe))?.workerDeploymentInfo;
      const versions = (info?.versionSummaries ?? []).map(toVersion);
      return versions.sort((one, other) => (other.first_seen ?? '').localeCompare(one.first_seen ?? ''));
    },
    /**
     * Makes the version current where none has ever been, as on a first start or with an emptied Temporal.
     * @returns false while Temporal does not know of the version yet
     */
    async makeFirst(buildId: string): Promise<boolean> {
      const found = await unlessNotFound(describe);
      if (!found) return false;
      // A version was current once, even if an operator has unset it.
      if (found.workerDeploymentInfo?.routingConfig?.currentVersionChangedTime) return true;
      const { conflictToken } = found; // of two workers that start together one wins
      const current = { namespace, deploymentName, buildId, conflictToken };
      await withTimeout(() => service.setWorkerDeploymentCurrentVersion(current));
      return true;
    },
  };
}

type Summary = temporal.api.deployment.v1.WorkerDeploymentInfo.IWorkerDeploymentVersionSummary;

function toVersion({ deploymentVersion, status, createTime }: Summary): WorkerVersion {
  const states: Partial<Record<number, VersionState>> = {
    [Status.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT]: 'current',
    [Status.WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING]: 'ramping',
    [Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING]: 'draining',
    [Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED]: 'drained',
  };
  return {
    build_id: deploymentVersion?.buildId ?? '',
    state: states[status ?? 0] ?? 'inactive',
    first_seen: createTime ? tsToDate(createTime).toISOString() : null,
  };
}

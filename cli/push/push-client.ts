import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  createServiceClient,
  type ServiceAnswer,
  type ServiceClientSettings,
} from '../service/service-client';

const compressed = promisify(gzip);

export type PushClient = ReturnType<typeof createPushClient>;

/** What an ERP asks the service. */
export function createPushClient(settings: ServiceClientSettings) {
  const ask = createServiceClient(settings);
  return {
    /** The same request id and body are stored once, however often they are sent. */
    async push(body: Buffer, requestId: string, dryRun: boolean): Promise<ServiceAnswer> {
      const headers = {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'x-request-id': requestId,
      };
      const packed = await compressed(body, { level: 1 });
      const path = `/api/v1/push${dryRun ? '?dry_run=true' : ''}`;
      return ask(path, { method: 'POST', headers, body: packed });
    },
    /** The receipt of a push. */
    receipt: (requestId: string) => ask(`/api/v1/pushes/${encodeURIComponent(requestId)}`),
  };
}

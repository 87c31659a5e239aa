import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RecordType } from '../../domain/records/commands';
import { CliError } from '../cli-error';
import {
  createServiceClient,
  type ServiceAnswer,
  type ServiceClientSettings,
} from '../service/service-client';

const compressed = promisify(gzip);

const HELD = Type.Object({
  records: Type.Array(
    Type.Object({ id: Type.String(), deleted_at: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
  ),
  next: Type.Optional(Type.String()),
});
type HeldRecord = Static<typeof HELD>['records'][number];
const isHeld = new Ajv2020().compile<Static<typeof HELD>>(HELD);

export type PushClient = ReturnType<typeof createPushClient>;

/** The requests of an ERP to the service. */
export function createPushClient(settings: ServiceClientSettings) {
  const ask = createServiceClient(settings);
  return {
    /** Pushes a body. The same request id and body are stored once, however often they are sent. */
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
    /** The records of a type that the service holds, by the ERP's own ids. It lists deleted ones as well. */
    async *held(type: RecordType, limit: number): AsyncGenerator<HeldRecord> {
      for (let after: string | undefined; ;) {
        const query = new URLSearchParams({ limit: String(limit), ...(after !== undefined && { after }) });
        const { status, body } = await ask(`/api/v1/records/${type}?${query.toString()}`);
        if (status !== 200 || !isHeld(body))
          throw new CliError(
            `the service does not tell which ${type} it holds (${status})`,
            'check the token, and whether the service is new enough',
          );
        yield* body.records;
        if (body.next === undefined) return;
        after = body.next;
      }
    },
    receipt: (requestId: string) => ask(`/api/v1/pushes/${encodeURIComponent(requestId)}`),
  };
}

import { environment } from '../../config';
import type { Parts } from '../local/start-parts';

export const TASK_QUEUE = 'gdx';

/** The environment of the API, the worker and `gdx`, with their own database and namespace. */
export function environmentFor(
  parts: Parts,
  own: { database: string; namespace: string; port: number },
): NodeJS.ProcessEnv {
  return {
    ...environment,
    NODE_ENV: 'development', // the customer is on loopback
    HOST: '127.0.0.1',
    PORT: `${own.port}`,
    MONGODB_URI: parts.mongodbUri.replace(
      /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/,
      `$1/${own.database}`,
    ),
    TEMPORAL_ADDRESS: parts.temporalAddress,
    TEMPORAL_NAMESPACE: own.namespace,
    GDX_TASK_QUEUE: TASK_QUEUE,
    ...(parts.temporalUiUrl && { GDX_TEMPORAL_UI_URL: parts.temporalUiUrl }),
  };
}

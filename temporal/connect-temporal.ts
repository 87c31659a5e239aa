import {
  Client,
  type ClientOptions,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { isFailedCall } from './grpc-codes';

/** Connection options from Temporal's own settings (`TEMPORAL_*`), with our address and namespace. */
export function connectionOptions(settings: {
  env: Readonly<Record<string, string | undefined>>;
  address: string;
  namespace: string;
}) {
  const { connectionOptions: fromEnvironment } = loadClientConnectConfig({
    disableFile: true, // settings are environment variables only (docs/contract.md S1)
    overrideEnvVars: Object.fromEntries(
      Object.entries({
        ...settings.env,
        TEMPORAL_ADDRESS: settings.address,
        TEMPORAL_NAMESPACE: settings.namespace,
      }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  });
  return { ...fromEnvironment, address: settings.address };
}

/**
 * A client that connects on first use, so that a process starts even while Temporal is away.
 * @param onFailure called for each failed request, repeated ones included
 * @param interceptors set if traces are on
 */
export function lazyClient(
  settings: Parameters<typeof connectionOptions>[0],
  onFailure?: () => void,
  interceptors: ClientOptions['interceptors'] = {},
): Client {
  // The SDK's default of ten retries outlasts every deadline set on a call.
  const options = defaultGrpcRetryOptions({ maxAttempts: 2 });
  const retryOnce = makeGrpcRetryInterceptor({
    ...options,
    retryableDecider: (attempt, status) => {
      if (isFailedCall(status)) onFailure?.();
      return options.retryableDecider(attempt, status);
    },
  });
  const connection = Connection.lazy({ ...connectionOptions(settings), interceptors: [retryOnce] });
  return new Client({ connection, namespace: settings.namespace, interceptors });
}

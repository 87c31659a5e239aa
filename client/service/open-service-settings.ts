import { CliError, EXIT } from '../cli-error';

/**
 * The settings of `push`, `check` and `listen`, which run on machines of ERPs and customers without other
 * settings.
 */
export interface ServiceSettings {
  url: string;
  token: string;
  signingSecret: string;
}

/**
 * The settings of the commands that ask the service. From then on every request takes the way that HTTPS_PROXY,
 * HTTP_PROXY and NO_PROXY name.
 * @param read what config.ts reads @throws CliError
 */
export async function openServiceSettings(
  read: () => Promise<ServiceSettings & { proxies: Parameters<GoThrough>[0] }>,
): Promise<ServiceSettings> {
  const { goThrough } = await import('../../outbound/send-request.js');
  try {
    const { proxies, ...settings } = await read();
    goThrough(proxies);
    return settings;
  } catch (error) {
    throw new CliError((error as Error).message, 'correct it in the environment', EXIT.configuration);
  }
}

type GoThrough = typeof import('../../outbound/send-request').goThrough;

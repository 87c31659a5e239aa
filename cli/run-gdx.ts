import type { CustomerKeys } from '../domain/settings/key-settings';
import type { Setting } from '../domain/settings/setting';
import { trimmed } from '../domain/text/pasted-text';
import { CliError, EXIT } from '../client/cli-error';
import { createConnections } from './connections';
import { createProgram } from './create-program';
import { explainError } from '../client/explain-error';
import { note } from '../client/print';
import { openServiceSettings } from '../client/service/open-service-settings';
import { settingRows, settingsPage, unknownSettings } from './setting-rows';

/** One call of `gdx`: prints, and leaves its exit code in `process.exitCode`. */
export async function runGdx(args: string[], env?: NodeJS.ProcessEnv): Promise<void> {
  const connections = createConnections(
    () => readSettings(env),
    () => openServiceSettings(async () => (await import('../config.js')).serviceSettings(env)),
  );
  const words = args.map(trimmed);
  try {
    const program = await createProgram(connections, () => readSettingRows(env), words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    const { line, exitCode } = await explainError(error, async (thrown) =>
      (await import('./explain-store-error.js')).explainStoreError(thrown),
    );
    process.exitCode = exitCode;
    if (line) note(`gdx: ${line}`);
  } finally {
    await connections.close();
  }
}

// config.ts takes 0.2 s to load, so only commands that need a setting import it.
async function readSettings(given?: NodeJS.ProcessEnv) {
  const { readConfig, environment } = await import('../config.js');
  const { ALL_SETTINGS } = await import('../domain/settings/all-settings.js');
  const env = given ?? environment;
  try {
    const config = readConfig(env);
    const apiProblem = problemOf(() => readConfig(asApi(env, config.customerKeys, ALL_SETTINGS), 'api'));
    return { ...config, smsProvider: config.sms.provider, apiProblem };
  } catch (error) {
    throw new CliError((error as Error).message, 'correct it in the environment', EXIT.configuration);
  }
}

/** The environment as the API has it: without the private keys, and with its own secrets. */
function asApi(
  env: NodeJS.ProcessEnv,
  { publicKey }: CustomerKeys,
  settings: Record<string, Setting>,
): NodeJS.ProcessEnv {
  const GDX_CUSTOMER_SECRETS_PUBLIC_KEY = publicKey.toString('base64');
  const without = { GDX_CUSTOMER_SECRETS_KEY: '', GDX_CUSTOMER_SECRETS_KEY_OLD: '' };
  const ofApi = Object.keys(settings).filter((name) => settings[name]!.isOfApiAlone);
  const own = Object.fromEntries(ofApi.map((name) => [name, env[name] || 'unknown here']));
  return { ...env, ...without, ...own, GDX_CUSTOMER_SECRETS_PUBLIC_KEY };
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function readSettingRows(given?: NodeJS.ProcessEnv) {
  const { environment } = await import('../config.js');
  const { ALL_SETTINGS } = await import('../domain/settings/all-settings.js');
  const inForce = await readSettings(given).catch((error: CliError) => error);
  const wrong = inForce instanceof CliError ? inForce : undefined;
  const env = given ?? environment;
  const rows = settingRows(ALL_SETTINGS, env, wrong ? {} : { ...inForce });
  return { rows, wrong, unknown: unknownSettings(ALL_SETTINGS, env), page: settingsPage(ALL_SETTINGS) };
}

import type { CustomerKeys } from '../domain/key-settings';
import { createConnections } from './connections';
import { createProgram } from './create-program';
import { EXIT } from './exit-codes';
import { explainError } from './explain-error';
import { CliError } from './cli-error';
import { note } from './note';
import { settingRows } from './setting-rows';
import { settingsPage } from './settings-page';

// `gdx deliveries acme | head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

void main();

async function main(): Promise<void> {
  const connections = createConnections(readSettings, readPushSettings);
  const program = createProgram(connections, readSettingRows);
  try {
    await program.parseAsync();
  } catch (error) {
    const { line, exitCode } = await explainError(error);
    process.exitCode = exitCode;
    if (line) note(`gdx: ${line}`);
  } finally {
    await connections.close();
  }
}

// config.ts takes 0.2 s to load, so only commands that need a setting import it.
async function readSettings() {
  const { readConfig, environment } = await import('../config.js');
  try {
    const config = readConfig();
    const farmerProblem = problemOf(() => readConfig(asApi(environment, config.customerKeys), 'api'));
    return { ...config, smsProvider: config.sms.provider, farmerProblem, env: environment };
  } catch (error) {
    throw new CliError((error as Error).message, 'correct it in the environment', EXIT.configuration);
  }
}

/** The environment without what the API is not given. */
function asApi(environment: NodeJS.ProcessEnv, { publicKey }: CustomerKeys): NodeJS.ProcessEnv {
  const GDX_CUSTOMER_SECRETS_PUBLIC_KEY = publicKey.toString('base64');
  const without = { GDX_CUSTOMER_SECRETS_KEY: '', GDX_CUSTOMER_SECRETS_KEY_OLD: '' };
  return { ...environment, ...without, GDX_CUSTOMER_SECRETS_PUBLIC_KEY };
}

async function readPushSettings() {
  const { pushSettings } = await import('../config.js');
  return pushSettings();
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function readSettingRows() {
  const { SETTINGS, environment } = await import('../config.js');
  const inForce = await readSettings().catch((error: CliError) => error);
  const wrong = inForce instanceof CliError ? inForce : undefined;
  const rows = settingRows(SETTINGS.properties, environment, wrong ? {} : { ...inForce });
  return { rows, wrong, page: settingsPage(SETTINGS.properties) };
}

import { createConnections } from './connections';
import { createProgram } from './create-program';
import { EXIT } from './exit-codes';
import { explainError } from './explain-error';
import { Failure } from './failure';
import { note } from './note';
import { settingRows } from './setting-rows';
import { settingsPage } from './settings-page';

// `gdx deliveries acme | head`: the reader has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

void main();

async function main(): Promise<void> {
  const connections = createConnections(readSettings);
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

// config.ts takes 0.2 s to load: only for verbs that need a setting.
async function readSettings() {
  const { readConfig, environment } = await import('../config.js');
  try {
    const config = readConfig();
    const farmerProblem = problemOf(() => readConfig(environment, 'api'));
    return { ...config, smsProvider: config.sms.provider, farmerProblem, env: environment };
  } catch (error) {
    throw new Failure((error as Error).message, 'correct it in the environment', EXIT.configuration);
  }
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
  const inForce = await readSettings().catch((error: Failure) => error);
  const wrong = inForce instanceof Failure ? inForce : undefined;
  const rows = settingRows(SETTINGS.properties, environment, wrong ? {} : { ...inForce });
  return { rows, wrong, page: settingsPage(SETTINGS.properties) };
}

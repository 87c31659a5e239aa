import { Command } from 'commander';
import type { Connections } from './connections';
import type { Envelope } from './envelope';
import type { ReadSettingRows } from './setting-rows';

type Load = () => Promise<(noun: Command, envelope: Envelope) => void>;

/** The nouns of `gdx`: how `gdx --help` shows each, and the file that adds its commands. */
const NOUNS: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  integration: [
    'ERPs allowed to push',
    async () => (await import('./nouns/integration.js')).integrationCommands,
  ],
  channel: ['feeds of customers', async () => (await import('./nouns/channel.js')).channelCommands],
  marker: ['what a customer has confirmed', async () => (await import('./nouns/marker.js')).markerCommands],
  'resend [options] <channel> <entity_type> [ids...]': [
    'send single records again; no marker moves',
    async () => (await import('./nouns/resend.js')).resendCommands,
  ],
  'deliveries [options] <channel>': [
    'deliveries to a customer, newest first',
    async () => (await import('./nouns/deliveries.js')).deliveriesCommands,
  ],
  'set-aside': [
    'records that a customer refused one by one',
    async () => (await import('./nouns/set-aside.js')).setAsideCommands,
  ],
  'subscriptions [options] <channel>': [
    'accounts that farmers share with a customer, oldest first; `revoke` ends one',
    async () => (await import('./nouns/subscriptions.js')).subscriptionsCommands,
  ],
  'alerts [options] [channel]': [
    'what an operator should look at now, oldest first',
    async () => (await import('./nouns/alerts.js')).alertsCommands,
  ],
  'actions [options]': [
    'what operators changed, and customers through the API, newest first',
    async () => (await import('./nouns/actions.js')).actionsCommands,
  ],
  farmer: [
    'a farmer’s phone: unlock it, or erase what is kept of it',
    async () => (await import('./nouns/farmer.js')).farmerCommands,
  ],
  codes: [
    'codes of farmers: pause those of one channel’s links, or of /sharing',
    async () => (await import('./nouns/codes.js')).codesCommands,
  ],
  operator: ['who may sign in to /ops', async () => (await import('./nouns/operator.js')).operatorCommands],
  secrets: ['what is stored encrypted', async () => (await import('./nouns/secrets.js')).secretsCommands],
  consents: [
    'the ledger of what farmers agreed to',
    async () => (await import('./nouns/consents.js')).consentsCommands,
  ],
  elevator: [
    'locations of the companies',
    async () => (await import('./nouns/elevator.js')).elevatorCommands,
  ],
  'push [options] <files...>': [
    'push an ERP’s export: CSV, NDJSON or JSON files, or a folder of them (for the ERP’s engineer)',
    async () => (await import('../client/nouns/push.js')).pushCommands,
  ],
  'listen [options] <channel>': [
    'collect a channel’s pages and hand them to a receiver here (for the customer’s engineer)',
    async () => (await import('../client/nouns/listen.js')).listenCommands,
  ],
  'sandbox [options] <channel>': [
    'push a test company’s harvest bit by bit, to build a receiver with (from a checkout)',
    async () => (await import('./nouns/sandbox.js')).sandboxCommands,
  ],
  record: ['single stored records', async () => (await import('./nouns/record.js')).recordCommands],
  worker: [
    'versions of the worker (GDX_WORKER_BUILD_ID)',
    async () => (await import('./nouns/worker.js')).workerCommands,
  ],
  repair: [
    'repairs after restoring a backup',
    async () => (await import('./nouns/repair.js')).repairCommands,
  ],
  'migrate [options]': [
    'migrate the database to this release; production does not start before that',
    async () => (await import('./nouns/migrate.js')).migrateCommands,
  ],
  'doctor [options]': [
    'check every part, including customers, and suggest fixes; sends nothing',
    async () => (await import('./nouns/doctor.js')).doctorCommands,
  ],
  'config [options]': [
    'all settings with effective value, default and meaning',
    async () => (await import('./nouns/config.js')).configCommands,
  ],
};

/**
 * The commands of `gdx` (docs/contract.md O9). Errors are thrown; `explainError` prints them on one line.
 * @param words of the command line. Only the nouns among them are loaded, the others are only listed. Unset: all are loaded.
 */
export async function createProgram(
  connections: Connections,
  readSettingRows: ReadSettingRows,
  words?: readonly string[],
): Promise<Command> {
  const program = new Command('gdx')
    .description('The operator’s tool of the Grain Data Exchange. Every command has --json and --help.')
    .enablePositionalOptions() // `--json` belongs to the subcommand it follows
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  for (const [usage, [summary, load]] of Object.entries(NOUNS)) {
    const [name] = usage.split(' ') as [string];
    const isCalled = words === undefined || words.includes(name);
    const noun = program.command(isCalled ? name : usage).description(summary);
    if (!isCalled) continue;
    const { createEnvelope } = await import('./envelope.js');
    (await load())(noun, createEnvelope(connections, readSettingRows));
  }
  return program;
}

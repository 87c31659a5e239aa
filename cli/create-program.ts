import { Command } from 'commander';
import type { Connections } from './connections';
import type { Envelope } from './envelope';
import type { ReadSettingRows } from './setting-rows';

/** A noun of `gdx`: how `gdx --help` shows it, and the file that adds its commands. */
interface Noun {
  usage: string;
  summary: string;
  load: () => Promise<(noun: Command, envelope: Envelope) => void>;
}

const NOUNS: readonly Noun[] = [
  {
    usage: 'integration',
    summary: 'ERPs allowed to push',
    load: async () => (await import('./nouns/integration.js')).integrationCommands,
  },
  {
    usage: 'channel',
    summary: 'feeds of customers',
    load: async () => (await import('./nouns/channel.js')).channelCommands,
  },
  {
    usage: 'marker',
    summary: 'what a customer has confirmed',
    load: async () => (await import('./nouns/marker.js')).markerCommands,
  },
  {
    usage: 'resend [options] <channel> <entity_type> [ids...]',
    summary: 'send single records again; no marker moves',
    load: async () => (await import('./nouns/resend.js')).resendCommands,
  },
  {
    usage: 'deliveries [options] <channel>',
    summary: 'deliveries to a customer, newest first',
    load: async () => (await import('./nouns/deliveries.js')).deliveriesCommands,
  },
  {
    usage: 'set-aside',
    summary: 'records that a customer refused one by one',
    load: async () => (await import('./nouns/set-aside.js')).setAsideCommands,
  },
  {
    usage: 'subscriptions [options] <channel>',
    summary: 'accounts that farmers share with a customer, oldest first; `revoke` ends one',
    load: async () => (await import('./nouns/subscriptions.js')).subscriptionsCommands,
  },
  {
    usage: 'alerts [options] [channel]',
    summary: 'what an operator should look at now, oldest first',
    load: async () => (await import('./nouns/alerts.js')).alertsCommands,
  },
  {
    usage: 'actions [options]',
    summary: 'what operators changed, and customers through the API, newest first',
    load: async () => (await import('./nouns/actions.js')).actionsCommands,
  },
  {
    usage: 'farmer',
    summary: 'a farmer’s phone: unlock it, or erase what is kept of it',
    load: async () => (await import('./nouns/farmer.js')).farmerCommands,
  },
  {
    usage: 'operator',
    summary: 'who may sign in to /ops',
    load: async () => (await import('./nouns/operator.js')).operatorCommands,
  },
  {
    usage: 'secrets',
    summary: 'what is stored encrypted',
    load: async () => (await import('./nouns/secrets.js')).secretsCommands,
  },
  {
    usage: 'consents',
    summary: 'the ledger of what farmers agreed to',
    load: async () => (await import('./nouns/consents.js')).consentsCommands,
  },
  {
    usage: 'elevator',
    summary: 'locations of the companies',
    load: async () => (await import('./nouns/elevator.js')).elevatorCommands,
  },
  {
    usage: 'push [options] <files...>',
    summary: 'push an ERP’s export: CSV, NDJSON or JSON files, or a folder of them (for the ERP’s engineer)',
    load: async () => (await import('./nouns/push.js')).pushCommands,
  },
  {
    usage: 'listen [options] <channel>',
    summary: 'collect a channel’s pages and hand them to a receiver here (for the customer’s engineer)',
    load: async () => (await import('./nouns/listen.js')).listenCommands,
  },
  {
    usage: 'sandbox [options] <channel>',
    summary: 'push a test company’s harvest bit by bit, to build a receiver with (from a checkout)',
    load: async () => (await import('./nouns/sandbox.js')).sandboxCommands,
  },
  {
    usage: 'record',
    summary: 'single stored records',
    load: async () => (await import('./nouns/record.js')).recordCommands,
  },
  {
    usage: 'worker',
    summary: 'versions of the worker (GDX_WORKER_BUILD_ID)',
    load: async () => (await import('./nouns/worker.js')).workerCommands,
  },
  {
    usage: 'repair',
    summary: 'repairs after restoring a backup',
    load: async () => (await import('./nouns/repair.js')).repairCommands,
  },
  {
    usage: 'migrate [options]',
    summary: 'migrate the database to this release; production does not start before that',
    load: async () => (await import('./nouns/migrate.js')).migrateCommands,
  },
  {
    usage: 'doctor [options]',
    summary: 'check every part, including customers, and suggest fixes; sends nothing',
    load: async () => (await import('./nouns/doctor.js')).doctorCommands,
  },
  {
    usage: 'config [options]',
    summary: 'all settings with effective value, default and meaning',
    load: async () => (await import('./nouns/config.js')).configCommands,
  },
];

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
  for (const { usage, summary, load } of NOUNS) {
    const [name] = usage.split(' ') as [string];
    const isCalled = words === undefined || words.includes(name);
    const noun = program.command(isCalled ? name : usage).description(summary);
    if (!isCalled) continue;
    const { createEnvelope } = await import('./envelope.js');
    (await load())(noun, createEnvelope(connections, readSettingRows));
  }
  return program;
}

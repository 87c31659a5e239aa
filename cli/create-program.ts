import { Command } from 'commander';
import type { Connections } from './connections';
import { actionsCommand } from './commands/actions';
import { alertsCommand } from './commands/alerts';
import { channelAddCommand } from './commands/channel-add';
import { channelDeliverCommand } from './commands/channel-deliver';
import { channelLinkKeyCommand } from './commands/channel-link-key';
import { channelListCommand } from './commands/channel-list';
import { channelPauseCommand } from './commands/channel-pause';
import { channelResumeCommand } from './commands/channel-resume';
import { channelRevokeKeyCommand } from './commands/channel-revoke-key';
import { channelRotateKeyCommand } from './commands/channel-rotate-key';
import { channelRotateSecretCommand } from './commands/channel-rotate-secret';
import { channelSetCommand } from './commands/channel-set';
import { channelSetKeyCommand } from './commands/channel-set-key';
import { channelShowCommand } from './commands/channel-show';
import { channelTestCommand } from './commands/channel-test';
import { configListCommand, type ReadSettingRows } from './commands/config-list';
import { consentsVerifyCommand } from './commands/consents-verify';
import { deliveriesCommand } from './commands/deliveries';
import { doctorCommand } from './commands/doctor';
import { elevatorListCommand } from './commands/elevator-list';
import { farmerUnlockCommand } from './commands/farmer-unlock';
import { integrationAddCommand } from './commands/integration-add';
import { integrationListCommand } from './commands/integration-list';
import { integrationRevokeCommand } from './commands/integration-revoke';
import { integrationRotateCommand } from './commands/integration-rotate';
import { integrationSetCommand } from './commands/integration-set';
import { markerResetCommand } from './commands/marker-reset';
import { markerShowCommand } from './commands/marker-show';
import { migrateCommand } from './commands/migrate';
import { operatorAddCommand } from './commands/operator-add';
import { operatorListCommand } from './commands/operator-list';
import { operatorRemoveCommand } from './commands/operator-remove';
import { listenCommand } from './commands/listen';
import { pushCommand } from './commands/push';
import { recordShowCommand } from './commands/record-show';
import { repairCountersCommand } from './commands/repair-counters';
import { sandboxCommand } from './commands/sandbox';
import { setAsideListCommand } from './commands/set-aside-list';
import { setAsideReleaseCommand } from './commands/set-aside-release';
import { farmerEraseCommand } from './commands/farmer-erase';
import { secretsHashKeyCommand } from './commands/secrets-hash-key';
import { secretsKeysCommand } from './commands/secrets-keys';
import { secretsLedgerKeyCommand } from './commands/secrets-ledger-key';
import { secretsRewrapCommand } from './commands/secrets-rewrap';
import { resendCommand } from './commands/resend';
import { subscriptionsCommand } from './commands/subscriptions';
import { subscriptionsRevokeCommand } from './commands/subscriptions-revoke';
import { workerListCommand } from './commands/worker-list';
import { parseText } from './parse-options';

type Define = (group: Command, connections: Connections, readSettingRows: ReadSettingRows) => void;

/** A command `in` a group or, without one, of `gdx` itself. */
type Row = { in?: string } & ({ reads: Define } | { changes: Define });

const GROUPS: Record<string, string> = {
  integration: 'ERPs allowed to push',
  channel: 'feeds of customers',
  marker: 'what a customer has confirmed',
  'set-aside': 'records that a customer refused one by one',
  operator: 'who may sign in to /ops',
  secrets: 'what is stored encrypted',
  farmer: 'a farmer’s phone: unlock it, or erase what is kept of it',
  consents: 'the ledger of what farmers agreed to',
  elevator: 'locations of the companies',
  record: 'single stored records',
  worker: 'versions of the worker (GDX_WORKER_BUILD_ID)',
  repair: 'repairs after restoring a backup',
};

/** Every command. One that `changes` something records it, with its `--reason` (docs/contract.md O17). */
const COMMANDS: readonly Row[] = [
  { in: 'integration', changes: integrationAddCommand },
  { in: 'integration', reads: integrationListCommand },
  { in: 'integration', changes: integrationSetCommand },
  { in: 'integration', changes: integrationRotateCommand },
  { in: 'integration', changes: integrationRevokeCommand },
  { in: 'channel', changes: channelAddCommand },
  { in: 'channel', reads: channelListCommand },
  { in: 'channel', reads: channelShowCommand },
  { in: 'channel', changes: channelSetCommand },
  { in: 'channel', changes: channelPauseCommand },
  { in: 'channel', changes: channelResumeCommand },
  { in: 'channel', changes: channelDeliverCommand },
  { in: 'channel', reads: channelTestCommand },
  { in: 'channel', changes: channelSetKeyCommand },
  { in: 'channel', changes: channelRotateKeyCommand },
  { in: 'channel', changes: channelRotateSecretCommand },
  { in: 'channel', changes: channelRevokeKeyCommand },
  { in: 'channel', changes: channelLinkKeyCommand },
  { in: 'marker', reads: markerShowCommand },
  { in: 'marker', changes: markerResetCommand },
  { changes: resendCommand },
  { reads: deliveriesCommand },
  { in: 'set-aside', reads: setAsideListCommand },
  { in: 'set-aside', changes: setAsideReleaseCommand },
  { reads: subscriptionsCommand },
  { in: 'subscriptions', changes: subscriptionsRevokeCommand },
  { reads: alertsCommand },
  { reads: actionsCommand },
  { in: 'farmer', changes: farmerUnlockCommand },
  { in: 'operator', changes: operatorAddCommand },
  { in: 'operator', reads: operatorListCommand },
  { in: 'operator', changes: operatorRemoveCommand },
  { in: 'secrets', reads: secretsKeysCommand },
  { in: 'secrets', changes: secretsLedgerKeyCommand },
  { in: 'secrets', changes: secretsHashKeyCommand },
  { in: 'farmer', changes: farmerEraseCommand },
  { in: 'secrets', changes: secretsRewrapCommand },
  { in: 'consents', reads: consentsVerifyCommand },
  { in: 'elevator', reads: elevatorListCommand },
  { reads: pushCommand },
  { reads: listenCommand },
  { changes: sandboxCommand },
  { in: 'record', reads: recordShowCommand },
  { in: 'worker', reads: workerListCommand },
  { in: 'repair', changes: repairCountersCommand },
  { changes: migrateCommand },
  { reads: doctorCommand },
  { reads: (program, _, readSettingRows) => configListCommand(program, readSettingRows) },
];

/** All commands of `gdx` (docs/contract.md O9). Errors are thrown; `explainError` prints them on one line. */
export function createProgram(connections: Connections, readSettingRows: ReadSettingRows): Command {
  const program = new Command('gdx')
    .description('The operator’s tool of the Grain Data Exchange. Every command has --json and --help.')
    .enablePositionalOptions() // `--json` belongs to the subcommand it follows
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  for (const row of COMMANDS) {
    const group = row.in === undefined ? program : groupOf(program, row.in);
    const define = 'reads' in row ? row.reads : row.changes;
    define(group, connections, readSettingRows);
    const command = group.commands.at(-1)!;
    takeJson(command);
    if ('changes' in row) takeReason(command);
  }
  return program;
}

function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((command) => command.name() === name);
  return known ?? program.command(name).description(GROUPS[name]!);
}

const takes = (command: Command, option: string) => command.options.some(({ long }) => long === option);

function takeJson(command: Command): void {
  if (takes(command, '--json')) return;
  const asks = takes(command, '--yes') ? '; does not ask either' : '';
  command.option('--json', `one JSON document on stdout${asks}`);
}

function takeReason(command: Command): void {
  if (takes(command, '--reason')) return;
  command.option('--reason <text>', 'why, for whoever looks next', parseText);
}

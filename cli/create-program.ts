import { Command } from 'commander';
import type { Connections } from './connections';
import { channelAdd } from './verbs/channel-add';
import { channelDeliver } from './verbs/channel-deliver';
import { channelList } from './verbs/channel-list';
import { channelPause } from './verbs/channel-pause';
import { channelResume } from './verbs/channel-resume';
import { channelSet } from './verbs/channel-set';
import { channelShow } from './verbs/channel-show';
import { configList, type ReadSettingRows } from './verbs/config-list';
import { consentsVerify } from './verbs/consents-verify';
import { deliveries } from './verbs/deliveries';
import { elevatorList } from './verbs/elevator-list';
import { integrationAdd } from './verbs/integration-add';
import { integrationList } from './verbs/integration-list';
import { markerReset } from './verbs/marker-reset';
import { markerShow } from './verbs/marker-show';
import { recordShow } from './verbs/record-show';
import { subscriptions } from './verbs/subscriptions';

/** All verbs of `gdx` (contract 7). Errors are thrown, not printed: `explainError` says them in one line. */
export function createProgram(connections: Connections, readSettingRows: ReadSettingRows): Command {
  const program = new Command('gdx')
    .description('The operator’s tool of the Grain Data Exchange. Every command has --json and --help.')
    .configureOutput({ outputError: () => {} })
    .exitOverride();

  const integration = program.command('integration').description('ERPs allowed to push');
  integrationAdd(integration, connections);
  integrationList(integration, connections);

  const channel = program.command('channel').description('customers’ feeds');
  channelAdd(channel, connections);
  channelList(channel, connections);
  channelShow(channel, connections);
  channelSet(channel, connections);
  channelPause(channel, connections);
  channelResume(channel, connections);
  channelDeliver(channel, connections);

  const marker = program.command('marker').description('what a customer has confirmed');
  markerShow(marker, connections);
  markerReset(marker, connections);

  deliveries(program, connections);
  subscriptions(program, connections);

  const consents = program.command('consents').description('the ledger of what farmers agreed to');
  consentsVerify(consents, connections);

  const elevator = program.command('elevator').description('locations of the companies');
  elevatorList(elevator, connections);

  const record = program.command('record').description('single stored records');
  recordShow(record, connections);

  configList(program, readSettingRows);
  return program;
}

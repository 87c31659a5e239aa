import { Command } from 'commander';
import type { Connections } from './connections';
import { alerts } from './verbs/alerts';
import { channelAdd } from './verbs/channel-add';
import { channelDeliver } from './verbs/channel-deliver';
import { channelList } from './verbs/channel-list';
import { channelPause } from './verbs/channel-pause';
import { channelResume } from './verbs/channel-resume';
import { channelRevokeKey } from './verbs/channel-revoke-key';
import { channelRotateKey } from './verbs/channel-rotate-key';
import { channelRotateSecret } from './verbs/channel-rotate-secret';
import { channelSet } from './verbs/channel-set';
import { channelShow } from './verbs/channel-show';
import { channelTest } from './verbs/channel-test';
import { completion } from './verbs/completion';
import { configList, type ReadSettingRows } from './verbs/config-list';
import { consentsVerify } from './verbs/consents-verify';
import { deliveries } from './verbs/deliveries';
import { doctor } from './verbs/doctor';
import { elevatorList } from './verbs/elevator-list';
import { integrationAdd } from './verbs/integration-add';
import { integrationList } from './verbs/integration-list';
import { integrationRevoke } from './verbs/integration-revoke';
import { integrationRotate } from './verbs/integration-rotate';
import { markerReset } from './verbs/marker-reset';
import { markerShow } from './verbs/marker-show';
import { migrate } from './verbs/migrate';
import { operatorAdd } from './verbs/operator-add';
import { operatorList } from './verbs/operator-list';
import { operatorRemove } from './verbs/operator-remove';
import { recordShow } from './verbs/record-show';
import { repairCounters } from './verbs/repair-counters';
import { setAsideList } from './verbs/set-aside-list';
import { setAsideRelease } from './verbs/set-aside-release';
import { secretsRewrap } from './verbs/secrets-rewrap';
import { report } from './verbs/report';
import { subscriptions } from './verbs/subscriptions';
import { subscriptionsRevoke } from './verbs/subscriptions-revoke';
import { workerList } from './verbs/worker-list';
import { workerSwitch } from './verbs/worker-switch';

/** All verbs of `gdx` (contract 7). Errors are thrown, not printed: `explainError` says them in one line. */
export function createProgram(connections: Connections, readSettingRows: ReadSettingRows): Command {
  const program = new Command('gdx')
    .description('The operator’s tool of the Grain Data Exchange. Every command has --json and --help.')
    .enablePositionalOptions() // `--json` behind a verb of a verb is its own
    .configureOutput({ outputError: () => {} })
    .exitOverride();

  const integration = program.command('integration').description('ERPs allowed to push');
  integrationAdd(integration, connections);
  integrationList(integration, connections);
  integrationRotate(integration, connections);
  integrationRevoke(integration, connections);

  const channel = program.command('channel').description('customers’ feeds');
  channelAdd(channel, connections);
  channelList(channel, connections);
  channelShow(channel, connections);
  channelSet(channel, connections);
  channelPause(channel, connections);
  channelResume(channel, connections);
  channelDeliver(channel, connections);
  channelTest(channel, connections);
  channelRotateKey(channel, connections);
  channelRotateSecret(channel, connections);
  channelRevokeKey(channel, connections);

  const marker = program.command('marker').description('what a customer has confirmed');
  markerShow(marker, connections);
  markerReset(marker, connections);

  deliveries(program, connections);

  const setAside = program.command('set-aside').description('records that a customer refused one by one');
  setAsideList(setAside, connections);
  setAsideRelease(setAside, connections);
  subscriptionsRevoke(subscriptions(program, connections), connections);
  alerts(program, connections);

  const operator = program.command('operator').description('who may sign in to /ops');
  operatorAdd(operator, connections);
  operatorList(operator, connections);
  operatorRemove(operator, connections);

  const secrets = program.command('secrets').description('what is stored encrypted');
  secretsRewrap(secrets, connections);

  const consents = program.command('consents').description('the ledger of what farmers agreed to');
  consentsVerify(consents, connections);

  const elevator = program.command('elevator').description('locations of the companies');
  elevatorList(elevator, connections);

  const record = program.command('record').description('single stored records');
  recordShow(record, connections);

  const worker = program.command('worker').description('versions of the worker (GDX_WORKER_BUILD_ID)');
  workerList(worker, connections);
  workerSwitch(worker, connections);

  const repair = program.command('repair').description('what a restored backup needs');
  repairCounters(repair, connections);
  migrate(program, connections);

  report(program, connections);
  doctor(program, connections);
  completion(program);
  configList(program, readSettingRows);
  return program;
}

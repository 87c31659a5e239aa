import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { channelKeys } from '../../../store/channels/channels';
import { hearingSignals, startApi } from '../../api/start-api';
import { ActivityWorker } from '../../setup/activity-worker';
import { FakeCustomer } from '../../setup/fake-customer';
import { addTestChannel } from '../../setup/add-test-channel';
import { loopbackAgent } from '../../setup/loopback-agent';
import { openStore } from '../../setup/open-store';
import { pushRecords } from '../../setup/push-records';
import type { CommandCase } from './command-case';
import { temporaryFolder } from '../../setup/temporary-folder';
import { testCompanyOf } from '../../../domain/records/company-id';
import { closeAtEnd } from '../../setup/close-at-end';

export const erpCases: Record<string, CommandCase> = {
  listen: {
    // A service elsewhere, whose worker runs when it is woken, and a receiver. The rest: listen.slow.test.ts.
    prepare: async () => {
      const [store, slug] = [await openStore(), 'acme'];
      await addTestChannel(store, slug, '', { delivery: 'pull', entity_types: ['accounts', 'tickets'] });
      await pushRecords(store, { tickets: ['1', '2', '3'].map((id) => ({ id, account_id: '1001' })) });
      const token = path.join(temporaryFolder('listen'), 'token');
      writeFileSync(token, (await channelKeys.rotate(store, slug, 0))!.token);
      const [agent, customer] = [loopbackAgent(), await FakeCustomer.start()];
      const worker = new ActivityWorker(slug, { store, agent, customer });
      let running = Promise.resolve<unknown>(undefined);
      const pageAskedFor = async () => {
        running = running.then(() => worker.run());
        return true;
      };
      const api = await startApi({ store, temporal: { ...hearingSignals().temporal, pageAskedFor } });
      closeAtEnd(() => running);
      const url = `http://127.0.0.1:${api.port}`;
      return [slug, '--url', url, '--token-file', token, '--forward-to', customer.baseUrl, '--once'];
    },
    table: {
      says: /^\d\d:\d\d:\d\d {2}tickets .*page 1 of 1, 3 records, not checked, receiver: 200 in .* confirmed$/m,
    },
    json: { holds: { entity_type: 'tickets', records: 3, result: 'confirmed' } },
    error: {
      args: ['nobody', '--forward-to', 'http://127.0.0.1:9'],
      exitCode: 2,
      says: /there is no token; put it into GDX_TOKEN/,
    },
  },
  push: {
    // What it pushes, and how: push.test.ts.
    prepare: async () => {
      const file = path.join(temporaryFolder('push'), 'export.csv');
      writeFileSync(file, 'Ticket Number;Customer;Net Weight\n');
      return [file, '--draft', 'tickets'];
    },
    table: { says: /"delimiter": ";"\n.*"ticket_number": "Ticket Number",\n.*"Customer": \[\]/s },
    json: { holds: { type: 'tickets', record: { net_weight: 'Net Weight' }, '?': { Customer: [] } } },
    error: { args: ['nowhere.csv'], exitCode: 2, says: /--mapping is missing; / },
  },
  sandbox: {
    // What it pushes, and where it refuses to: sandbox.slow.test.ts.
    prepare: async (scene) => {
      const slug = await scene.addChannel();
      const company = testCompanyOf(slug).id;
      await scene.store.db
        .collection('channels')
        .updateOne({ _id: slug as never }, { $set: { companies: [company] } });
      const api = await startApi({ store: scene.store });
      return [slug, '--url', `http://127.0.0.1:${api.port}`, '--for', '1s'];
    },
    table: { says: /^company +test\.scene_\w+\n(.*\n)*records +145\n/m },
    json: { holds: { company: expect.stringMatching(/^test\.scene_/), pushes: 2 } },
    error: {
      args: ['nobody'],
      exitCode: 1,
      says: /no channel nobody; `gdx channel add nobody .* --company test\.nobody`/,
    },
  },
};

import { findChannel } from '../../store/channels/channels';
import { listEnded } from '../../store/consent/subscriptions';
import { confirmDeletion, noteAsked } from '../../store/sharing/deletions';
import { openStore } from '../setup/open-store';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';

// A process to be killed: farmers of one channel share what is new of the same accounts, then the earlier records too, and stop;
// its customer reads what has ended and says that it has deleted one of them; over and over, until the process ends.
async function main([uri, slug]: string[]): Promise<void> {
  const store = await openStore(uri);
  const channel = (await findChannel(store, slug!))!;
  const keys = ['1', '2', '3'].map((number) => {
    return { channel: channel._id, partner_id: 'policy', farmer: 'dale', account: `42-${number}` };
  });
  for (;;) {
    await grantAccounts(store, channel, keys, '42', false);
    process.stdout.write('granted\n');
    await grantAccounts(store, channel, keys);
    await revokeAccounts(store, keys);
    const ended = await listEnded(store, channel._id);
    const accounts = ended.map(({ account }) => account);
    await noteAsked(store, channel, accounts, 'read');
    await confirmDeletion(store, channel, keys[0]!.account, 'said');
  }
}

void main(process.argv.slice(2));

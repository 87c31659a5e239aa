import { findChannel } from '../../store/channels/channels';
import { openStore } from '../setup/open-store';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';

// A process to be killed: farmers of one channel grant and revoke the same accounts, over and over, until it ends.
async function main([uri, slug]: string[]): Promise<void> {
  const store = await openStore(uri);
  const channel = (await findChannel(store, slug!))!;
  const keys = ['1', '2', '3'].map((number) => {
    return { channel: channel._id, partner_id: 'policy', farmer: 'dale', account: `42-${number}` };
  });
  for (;;) {
    await grantAccounts(store, channel, keys);
    process.stdout.write('granted\n');
    await revokeAccounts(store, keys);
  }
}

void main(process.argv.slice(2));

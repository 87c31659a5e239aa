import type { Store } from '../store';
import { StoreMismatch } from '../store-mismatch';

/** What a channel's secrets are sealed for. */
interface Owner {
  /** the channel's slug */
  _id: string;
  base_url: string;
}

/** The address of the channel is not the one that its secrets were sealed for: nothing is sent to it. */
export class SealUnfit extends StoreMismatch {
  override name = 'SealUnfit';

  constructor({ _id, base_url }: Owner) {
    super(
      `the secrets of ${_id} are not sealed for ${originOf(base_url) || 'a channel without an address'}`,
      `its address was not changed by gdx: ask the customer for theirs, then \`gdx channel set ${_id} --base-url ...\``,
    );
  }
}

const originOf = (address: string) => (URL.canParse(address) ? new URL(address).origin : '');

/** Associated data: with another slug, or an address of another origin, a channel's secrets do not open. */
export const channelOwner = ({ _id, base_url }: Owner): string => `${_id} ${originOf(base_url)}`;

/** @throws CustomerKeyMissing, SealUnfit */
export async function openForChannel(store: Store, channel: Owner, sealed: Buffer): Promise<string> {
  try {
    return await store.customerSecrets.unseal(channelOwner(channel), sealed);
  } catch (error) {
    throw error instanceof StoreMismatch ? error : new SealUnfit(channel);
  }
}

/** Seals for the new address what is sealed for the one before. What fits already stays. @throws as `openForChannel` */
export async function resealForChannel(
  store: Store,
  before: Owner,
  after: Owner,
  sealed: Buffer,
): Promise<Buffer> {
  try {
    await openForChannel(store, after, sealed);
    return sealed;
  } catch (error) {
    if (!(error instanceof SealUnfit)) throw error;
    return store.customerSecrets.seal(channelOwner(after), await openForChannel(store, before, sealed));
  }
}

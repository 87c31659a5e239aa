import type { OwnHeader } from '../../domain/own-header';
import type { Store } from '../store';

/** What the operator sets in the clear and every page carries. */
export interface SentSecrets {
  authorization?: string;
  headers?: OwnHeader[];
}

/** As they are stored. */
export async function sealSent(store: Store, owner: string, { authorization, headers }: SentSecrets) {
  const seal = (secret: string) => store.customerSecrets.seal(owner, secret);
  const sealHeader = async ({ name, value }: OwnHeader) => ({ name, sealed: await seal(value) });
  return {
    ...(authorization !== undefined && { authorization: await seal(authorization) }),
    ...(headers && { headers: await Promise.all(headers.map(sealHeader)) }),
  };
}

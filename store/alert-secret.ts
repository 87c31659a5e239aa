import type { Store } from './connect';
import { deriveKey } from './seal';

/** What alerts are signed with where GDX_ALERT_SECRET is not set; it outlives an exchange of the secret key. */
export const alertSecret = ({ hashKey }: Pick<Store, 'hashKey'>) =>
  `whsec_${deriveKey(hashKey, 'alerts').toString('base64')}`;

import { timeNow } from '../domain/time/elapsed';
import { noteChange } from '../store/alerts/customer-notices';
import { liveSigning } from '../store/channels/channels';
import { type RotatedSecret, rotateSigningSecret } from '../store/channels/signing-secrets';
import { deed, Refused } from './deed';
import { typedField } from './fields';
import { recordAction } from './record-action';

// Each old secret adds two signatures to every page for 24 hours.
const MAX_LIVE = 4;
const TOO_MANY = 'four secrets sign your pages now: wait until one has ended, or drop them at once';

/**
 * Gives a channel a new signing secret and key pair, shown only now. For 24 hours pages carry the signatures of the previous
 * ones too, unless `at_once`.
 */
export const rotateSecret = deed<RotatedSecret>()({
  name: 'rotate-secret',
  recorded: 'channel rotate-secret',
  input: {
    at_once: typedField(
      {
        label:
          'Drop the old ones at once, because they have leaked. Until you have the new one you can check no page.',
        input: { type: 'checkbox' },
      },
      (typed: string) => typed === 'yes',
    ),
  },
  page: {
    doors: ['channel'],
    title: 'Rotate the signing secret',
    says:
      'Makes a new secret and a new public key for your channel. For 24 hours pages carry the signatures of both the ' +
      'old ones and the new ones, so you can replace yours at your own pace. The next page shows the secret, once.',
    done: 'Rotated the signing secret',
    own: {
      link: 'Rotate the signing secret',
      button: 'Rotate the signing secret',
      isGrave: true,
      made: ({ signingSecret, publicKey, old_until }) => ({
        title: 'The signing secret',
        says: 'Copy the secret now: it is shown only here, once.',
        facts: {
          'Signing secret': signingSecret,
          'Public key': publicKey,
          'The old ones sign until': old_until,
        },
      }),
      again:
        'Nothing was changed again. This form was sent before, and the secret was shown then. If you do not have it, rotate it again',
    },
  },
  async run({ store }, channel, { at_once: atOnce }, asker) {
    const { _id: slug, signing_secrets } = channel;
    if (asker.via !== 'gdx' && !atOnce && liveSigning(channel, timeNow()).length >= MAX_LIVE)
      throw new Refused('at_once', { says: TOO_MANY, isWhole: true });
    const before = { signing_secrets: signing_secrets.length };
    const about = atOnce ? 'at once' : '';
    const action = { action: 'channel rotate-secret', channel: slug, about, before } as const;
    return recordAction({ store }, asker, action, async () => {
      const rotated = await rotateSigningSecret(store, slug, { atOnce });
      if (!rotated) throw new Error(`there is no channel ${slug}`);
      await noteChange(store, channel, 'signing_secret.rotated');
      return { ...rotated, outcome: 'Done.', signalled: true };
    });
  },
});

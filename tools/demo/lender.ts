import { recordChannel } from '../judge/record-history';
import { ChannelKey } from './channel-key';
import { runGdx } from './run-gdx';
import { LENDER, type DemoStage } from './demo-stage';

const SITE = 'https://bank.example';
const AUTHORIZATION = 'key-that-the-bank-gave-us';

/** A channel that carries only what farmers share with it. */
export async function addLender(stage: DemoStage): Promise<ChannelKey> {
  const { lender, apiUrl } = stage;
  const { api_key, signing_secret } = await runGdx<{ api_key: string; signing_secret: string }>(
    stage,
    ...[
      'channel',
      'add',
      LENDER.slug,
      '--name',
      LENDER.name,
      '--base-url',
      lender.baseUrl,
      '--all-companies',
    ],
    ...['--scope', 'subscribed', '--callback-origin', SITE, '--cadence', '2s'],
    ...['--authorization', AUTHORIZATION],
  );
  recordChannel(LENDER.slug, 'subscribed', signing_secret);
  lender.trust({ signingSecret: signing_secret, authorization: AUTHORIZATION });
  return new ChannelKey(apiUrl, api_key, LENDER.slug);
}

/** The link on the lender's own pages, for one of its borrowers (docs/contract.md F1). */
export function linkOfLender({ apiUrl }: DemoStage, phone: string): string {
  const parameters = {
    callback_url: `${SITE}/loans/4711`,
    display_name: LENDER.name,
    partner_id: 'loan-4711',
    partner_slug: LENDER.slug,
    phone,
  };
  return `${apiUrl}/subscriptions?${new URLSearchParams(parameters)}`;
}

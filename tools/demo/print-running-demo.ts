import type { DemoStage } from './demo-stage';
import { CUSTOMER_SLUG } from './demo-stage';
import { bold, say } from './terminal';

/** What to try while the demo keeps running. */
export function printRunningDemo({ env, apiUrl }: DemoStage, token: string, channelKey: string): void {
  const settings = ['MONGODB_URI', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'].map(
    (name) => `${name}='${env[name]}'`,
  );
  say(`
${bold('Everything stays up until Ctrl-C.')} In another terminal:

   export ${settings.join(' \\\n     ')}
   npm run -s gdx -- deliveries ${CUSTOMER_SLUG}
   npm run -s gdx -- channel show ${CUSTOMER_SLUG}
   npm run -s gdx -- marker reset ${CUSTOMER_SLUG} accounts --timestamp 2026-01-01T00:00:00Z

   curl -i ${apiUrl}/api/v1/push -H 'Content-Type: application/json' \\
     -H 'Authorization: ${token}' \\
     -d '{"data":[{"update-accounts":{"accounts":[{"id":"1","name":"Meyer Farms"}]}}]}'
   curl ${apiUrl}/api/v1/channels/${CUSTOMER_SLUG}/markers \\
     -H 'Authorization: ${channelKey}'

   What the customer gets is shown here:
`);
}

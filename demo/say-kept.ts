import type { Stage } from './stage';
import { SLUG } from './stage';
import { bold, say } from './terminal';

/** What one can do with a story that is left running. */
export function sayKept({ env, apiUrl }: Stage, token: string, channelKey: string): void {
  const settings = ['MONGODB_URI', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'].map(
    (name) => `${name}='${env[name]}'`,
  );
  say(`
${bold('Everything stays up until Ctrl-C.')} In another terminal:

   export ${settings.join(' \\\n     ')}
   npm run -s gdx -- deliveries ${SLUG}
   npm run -s gdx -- channel show ${SLUG}
   npm run -s gdx -- marker reset ${SLUG} accounts --timestamp 2026-01-01T00:00:00Z

   curl -i ${apiUrl}/api/v1/push -H 'Content-Type: application/json' \\
     -H 'Authorization: ${token}' \\
     -d '{"data":[{"update-accounts":{"accounts":[{"id":"1","name":"Meyer Farms"}]}}]}'
   curl ${apiUrl}/api/v1/channels/${SLUG}/markers \\
     -H 'Authorization: ${channelKey}'

   What the customer gets is shown here:
`);
}

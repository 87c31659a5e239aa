import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../setup/eventually';
import type { Findings } from './findings';
import { gdxAnswer } from './service';
import type { ProductionStage } from './stage';

interface Alerts {
  data: { channel: string; class: string; message: string }[];
}

/** A host with an untrusted certificate receives nothing, and an operator is alerted. */
export async function checkStranger(
  { settings, customer, stranger }: ProductionStage,
  findings: Findings,
): Promise<void> {
  await findings.that('a certificate nobody signed: no page, an alert', () =>
    eventually(async () => {
      const { data } = await gdxAnswer<Alerts>(settings, 'alerts', 'stranger');
      assert.ok(data[0], 'no alert is open');
      assert.match(data[0].message, /TLS certificate/);
      assert.ok(stranger.connections > 0, 'nobody tried');
      assert.equal(stranger.heard.length, 0);
      return `${stranger.connections} handshakes, 0 requests, alert \`${data[0].class}\``;
    }, 60_000),
  );
  await findings.that('the alert came to GDX_ALERT_WEBHOOK_URL, signed', async () => {
    const { signing_secret } = await gdxAnswer<{ signing_secret: string }>(settings, 'alerts', '--secret');
    return eventually(() => {
      const [notice] = customer.at('/alerts');
      assert.ok(notice, 'no notice came');
      new Webhook(signing_secret).verify(notice.body, notice.headers as Record<string, string>);
      return `${customer.at('/alerts').length} over ${notice.protocol}`;
    }, 30_000);
  });
}

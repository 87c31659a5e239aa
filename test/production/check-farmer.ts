import assert from 'node:assert/strict';
import { linkTo } from '../farmer/start-farmers';
import { Visitor } from '../farmer/visitor';
import { eventually } from '../setup/eventually';
import type { Findings } from './findings';
import type { ProductionStage } from './stage';

/** The code goes to the text provider over TLS, and only there. */
export async function checkFarmer(
  { settings, customer, port }: ProductionStage,
  findings: Findings,
): Promise<void> {
  await findings.that("a farmer's code went to the text provider", async () => {
    const visitor = new Visitor(port, { 'x-forwarded-for': '203.0.113.9' });
    await visitor.get(linkTo({ partner_slug: 'lender' }));
    assert.match(visitor.cookie ?? '', /^__Host-gdx=/);
    await visitor.submit({});
    return eventually(() => {
      const [text] = customer.at('/texts');
      assert.ok(text, `no text came; the page is ${visitor.page.path}, ${visitor.page.status}`);
      assert.equal(text.headers.authorization, `Bearer ${settings['GDX_SMS_WEBHOOK_TOKEN']}`);
      const [code = 'no code'] = /\d{6}/.exec((JSON.parse(text.body) as { body: string }).body) ?? [];
      assert.ok(!visitor.page.html.includes(code), 'the page shows the code');
      return `1 over ${text.protocol}, with its token; not on the page`;
    });
  });
}

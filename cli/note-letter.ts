import { note } from '../client/print';
import { withoutEndSlashes } from '../domain/text/without-end-slashes';
import type { Call } from './envelope';

const ERPS =
  'Your token comes another way. It goes into the header Authorization, or into GDX_TOKEN for gdx.mjs.';
const CUSTOMERS =
  'Your API key and signing secret come another way. The key goes into the header Authorization; the secret checks our pages.';

/** Prints what an operator mails to an engineer: nothing that is shown once, as others read mail. @param slug a customer's channel */
export async function noteLetter(call: Call, slug?: string): Promise<void> {
  const service = withoutEndSlashes((await call.settings()).publicUrl);
  note('To be mailed to the engineer. What is shown once goes another way:');
  note(`  The service: ${service}`);
  if (slug) note(`  Your channel: ${slug}, with a page of its own at ${service}/customer`);
  note(`  The guide: ${service}/guide/${slug ? 'customer' : 'erp'} (all pages: ${service}/guide)`);
  note(`  ${slug ? CUSTOMERS : ERPS}`);
}

// Makes a signed link for a farmer. Standard library only.
//   LINK_KEY=gdx_link_... node sign-link.cjs <page> <callback_url> <display_name> <partner_id> <partner_slug> <phone> <expires>
const { createHmac } = require('node:crypto');

const NAMES = ['callback_url', 'display_name', 'partner_id', 'partner_slug', 'phone', 'expires'];

/**
 * @param page the address of the sharing page, as in https://grain.example/subscriptions
 * @param values the five parameters in the order of NAMES, then until when the link works: seconds since 1970
 */
function signedLink(page, key, values) {
  if (values.length !== NAMES.length || values.some((value) => value.includes('\n')))
    throw new Error('five parameters and the expiry, without line feeds');
  const signature = createHmac('sha256', key)
    .update(['gdx-link-v1', ...values].join('\n'))
    .digest('hex');
  const query = new URLSearchParams(values.map((value, index) => [NAMES[index], value]));
  query.set('signature', signature);
  return `${page}?${query}`;
}

module.exports = { signedLink };

if (require.main === module) {
  const [page = '', ...values] = process.argv.slice(2);
  const key = process.env['LINK_KEY'] ?? '';
  if (values.length !== NAMES.length || !key) {
    console.error(
      'usage: LINK_KEY=gdx_link_... node sign-link.cjs <page> <callback_url> <display_name> <partner_id> <partner_slug> <phone> <expires>',
    );
    process.exit(2);
  }
  console.log(signedLink(page, key, values));
}

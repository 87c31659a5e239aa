import { masked, plain } from '../../domain/text/masked';

test('plain text has no control character, direction mark or other invisible one', () =>
  expect(plain(' a\r\nb\u202ec\u200bd\ufffd ')).toBe('a b c d'));

test('phones keep their last two digits, tokens their kind', () => {
  expect(masked('call 701-555-0142, +1 (701) 555-0143 or 7015550144\n')).toBe('call …42, …43 or …44');
  expect(masked('701\u00a0555\u00a00142, 701\u2011555\u20110143 or 701\u00ad555\u200b0144')).toBe(
    '…42, …43 or …44',
  );
  expect(masked('key gdx_erp_Ab3/=, whsec_c2Vj')).toBe('key gdx_erp_…, whsec_…');
  expect(masked('gdx_channel_live_Ab3 gdx_operator_test_Ab3 gdx_link_Ab-3')).toBe(
    'gdx_channel_live_… gdx_operator_test_… gdx_link_…',
  );
  expect(masked('ticket T-7015550142 of 70155501421')).toBe('ticket T-7015550142 of 70155501421');
});

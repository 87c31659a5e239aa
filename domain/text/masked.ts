import { withoutUnseen } from './pasted-text';

// Control characters, direction marks and other invisible characters.
const FACELESS = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\ufffd]+/gu;
const PHONE =
  /(?<![\w-])(?:\+?1[\s.\u2010-\u2015-]?)?(?:\(\d{3}\)\s?|\d{3}[\s.\u2010-\u2015-]?)\d{3}[\s.\u2010-\u2015-]?\d{2}(\d{2})(?![\w-])/g;
const SECRET = /\b(gdx_(?:erp|channel|operator|link)(?:_live|_test)?|whsec)_[\w+/=-]+/g;

/** Makes untrusted text safe for one line of output: invisible characters become blanks. */
export const plain = (text: string) => text.replace(FACELESS, ' ').trim();

/** Masks tokens, and phones except their last digits. A customer's answer may repeat the page that it was sent. */
export const masked = (text: string) =>
  plain(withoutUnseen(text)).replace(PHONE, '…$1').replace(SECRET, '$1_…');

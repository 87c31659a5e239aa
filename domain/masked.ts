// Control characters, marks that turn the direction of text, and others without a face.
const FACELESS = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\ufffd]+/gu;
const PHONE = /(?<![\w-])(?:\+?1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-]?)\d{3}[ .-]?\d{2}(\d{2})(?![\w-])/g;
const SECRET = /\b(gdx_(?:erp|channel|operator)|whsec)_[\w+/=]+/g;

/** What others have typed, as it can stand in a line of ours. */
export const plain = (text: string) => text.replace(FACELESS, ' ').trim();

/** What a customer answered may repeat what it was sent: no phone but its ending, and no token, is shown. */
export const masked = (text: string) => plain(text).replace(PHONE, '…$1').replace(SECRET, '$1_…');

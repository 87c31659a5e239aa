import { guessCode } from '../../api/farmer/steps/code-step';
import {
  type FarmerSession,
  findFarmerSession,
  openFarmerSession,
} from '../../store/sessions/farmer-sessions';
import { newSignInCode } from '../../store/codes/sign-in-codes';
import type { Store } from '../../store/store';
import { PHONE } from './start-farmers';
import { csrfOf, type Visitor } from './visitor';

/** A code that is not this one. */
export const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Posts a form of the visitor's page, whatever page it has come to since. @returns the answer */
export async function postFrom(visitor: Visitor, path: string, fields: Record<string, string>) {
  const twin = visitor.twin();
  await twin.post(`/subscriptions/${path}`, new URLSearchParams({ csrf: csrfOf(visitor), ...fields }));
  return twin.page;
}

/** Enters these codes at once. @returns how many were compared */
export async function guessAtOnce(visitor: Visitor, codes: string[]): Promise<number> {
  const pages = await Promise.all(codes.map((code) => postFrom(visitor, 'code', { code })));
  return pages.filter(({ html }) => html.includes('That code is not right')).length;
}

const ASKING = { phone: PHONE, address: '203.0.113.9', channel: 'acme', device: undefined, signed: false };
const CODES = { countries: ['US'], perDay: 20_000, perChannelDay: 5_000, unlistedPerDay: 100 };

/** A session that has not verified its phone. */
export async function openSession(store: Store, phone = PHONE): Promise<FarmerSession> {
  const link = {
    channel: 'acme',
    partner_id: 'p',
    display_name: 'd',
    callback_url: 'https://acme.example/',
    signed: false,
  };
  const token = await openFarmerSession(store, { link, language: 'en', phone });
  return (await findFarmerSession(store, token, 'link'))!;
}

/** A new code of a session of its own, and how it is guessed. */
export async function newCode(store: Store) {
  const session = await openSession(store);
  const { code } = (await newSignInCode(store, session, PHONE, { via: 'text', shown: false, digits: 6 }))!;
  const guess = (guessed: string, through = store) =>
    guessCode(through, session, guessed, { asking: ASKING, codes: CODES });
  return { code, guess };
}

import { Type } from '@sinclair/typebox';
import { identifier, lifecycle, list, object, requiredName } from './fields';

/** A phone as digits. Separators are removed before validation (normalize-record.ts). */
export const accountPhone = Type.String({
  pattern: '^\\d{1,20}$',
  description:
    'a phone number of ten digits, or of eleven with a leading 1, such as "(701) 555-0142", without an extension',
});

const phone = object({ phone: accountPhone });

/** A farmer's account. */
export const accountSchema = object(
  { id: identifier(), name: requiredName(), phones: list(phone), ...lifecycle() },
  { title: 'Account', description: 'an account' },
);

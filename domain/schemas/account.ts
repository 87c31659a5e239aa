import { Type, type Static } from '@sinclair/typebox';
import { identifier, lifecycle, list, object, requiredName } from './fields';

const phone = object({
  phone: Type.String({ pattern: '^\\d{1,20}$', description: 'a phone number of digits only' }),
});

/** A farmer's account. */
export const accountSchema = object(
  { id: identifier(), name: requiredName(), phones: list(phone), ...lifecycle() },
  { title: 'Account', description: 'an account' },
);

export type Account = Static<typeof accountSchema>;

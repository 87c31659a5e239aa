import { Type } from '@sinclair/typebox';
import { flag, identifier, instant, object, requiredName, text, textOrEmpty } from './fields';

const formatted = (format: string, description: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], format, maxLength: 2048, description }),
  );

/** A location. It is stored and not fed. */
export const elevatorSchema = object(
  {
    id: identifier(),
    name: requiredName(),
    address_line_1: text(),
    address_line_2: textOrEmpty(),
    city: text(200),
    state: text(64),
    zip_code: text(32),
    phone: formatted('international-phone', 'an international phone number with a leading + or empty'),
    fax: textOrEmpty(64),
    email: formatted('email-or-empty', 'an e-mail address or empty'),
    website: formatted('http-url-or-empty', 'an http or https URL or empty'),
    cash_bids_hidden: flag(),
    push_notifications_hidden: flag(),
    deleted_at: instant(),
    deleted: flag(),
    version: formatted('semantic-version', 'a semantic version such as "1.0.0"'),
  },
  { title: 'Elevator', description: 'an elevator' },
);

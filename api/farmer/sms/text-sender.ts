import type { Language } from '../../../domain/text/language';

/** One text to one phone. */
export interface TextMessage {
  /** E.164: `+17015550142`. */
  to: string;
  body: string;
  /** The same each time that this text is repeated. */
  key?: string;
}

/** One call to one phone, which reads the body out. */
export interface CallMessage extends TextMessage {
  language: Language;
}

/** Sends codes to farmers, as texts or by calls. Both resolve when the provider has accepted the message. */
export interface TextSender {
  /** Codes are shown on the page and not sent, outside production only (docs/contract.md S3). */
  readonly showsCodes: boolean;
  /** @throws NotTaken within 10 s */
  send(message: TextMessage): Promise<void>;
  /** Missing where the provider cannot call. @throws NotTaken within 10 s */
  call?(message: CallMessage): Promise<void>;
}

/** The provider did not accept a message. The error is for the operator and names no phone. */
export class NotTaken extends Error {
  override name = 'NotTaken';
}

/** The provider did not say whether it has taken the message: it may have been sent. */
export class NoAnswer extends NotTaken {}

/** The provider takes messages, but none for this number. Whoever asks for a code is not told (docs/contract.md F4). */
export class NumberNotTaken extends NotTaken {}

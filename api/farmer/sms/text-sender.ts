/** One text to one phone. */
export interface TextMessage {
  /** E.164: `+17015550142`. */
  to: string;
  body: string;
}

/** Who texts farmers their codes. */
export interface TextSender {
  /** Codes are shown on the page instead of being sent: outside production only (contract 8). */
  readonly showsCodes: boolean;
  /** Resolves when the provider has taken the text. @throws TextNotTaken within 10 s */
  send(message: TextMessage): Promise<void>;
}

/** The provider did not take a text. The message is for the operator; it names no phone. */
export class TextNotTaken extends Error {
  override name = 'TextNotTaken';
}

import { type Signers, signPage } from './sign-page';

/** A message that is no page, as JSON, with its headers: signed like a page (docs/decisions/0004). */
export async function signedMessage(
  id: string,
  message: object,
  signers: Signers,
): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const body = Buffer.from(JSON.stringify(message));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'grain-data-exchange',
    ...(await signPage(id, body, signers, new Date())),
  };
  return { headers, body };
}

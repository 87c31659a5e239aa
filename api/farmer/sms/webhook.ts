import { postText } from './post-text';
import type { TextSender } from './text-sender';

/** Hands texts to a service of the operator's own, as `{ "to", "body" }`. */
export function webhookSender({ url, token }: { url: string; token: string }): TextSender {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  return {
    showsCodes: false,
    send: (message) => postText('the text webhook', url, { headers, body: JSON.stringify(message) }),
  };
}

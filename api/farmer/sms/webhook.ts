import { postMessage } from './post-message';
import type { TextSender } from './text-sender';

/** Posts texts to the operator's own service as `{ "to", "body" }`, and calls with `via` and `language` added. */
export function webhookSender({ url, token }: { url: string; token: string }): TextSender {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const post = (message: object) =>
    postMessage('the text webhook', url, { headers, body: JSON.stringify(message) });
  return {
    showsCodes: false,
    send: post,
    call: ({ to, language, body }) => post({ to, via: 'voice', language, body }),
  };
}

import { postSigned } from '../../activities/post-notice';
import type { HeadsMessage } from '../../activities/webhook-body';
import { webhookSender } from '../../api/farmer/sms/create-text-sender';
import { forwardPage } from '../../client/listen/forward-page';
import { createServiceClient } from '../../client/service/service-client';
import { postPage } from '../../outbound/post-page';
import { newSigningSecret } from '../../store/callers/tokens';
import { loopbackAgent } from '../setup/loopback-agent';

const agent = loopbackAgent();

const { signal } = new AbortController();
const body = Buffer.from('{"data":[]}');
const accepted = (sending: Promise<unknown>) =>
  sending.then(
    () => true,
    () => false,
  );
const HEADS: HeadsMessage = {
  type: 'ledger.heads',
  timestamp: '',
  text: '',
  data: { heads: [], erasures: [] },
};

/** Every client of ours: whether it has taken the final answer, and that for 200. */
export const CLIENTS: Record<string, (url: string) => Promise<boolean>> = {
  'a page': async (url) =>
    (await postPage(agent, { url, headers: {}, body }, signal, async () => false)).status === 200,
  'an alert': async (url) =>
    (await postSigned({ url, secret: newSigningSecret() }, 'msg_1', HEADS)) === undefined,
  'a text': (url) => accepted(webhookSender({ url, token: '' }).send({ to: '+17015550142', body: '1' })),
  '`gdx listen`': async (url) =>
    (
      await forwardPage(
        { url, authorization: undefined },
        { id: 'm', entityType: 'tickets', headers: {}, body },
      )
    ).isConfirmed,
  '`gdx push`': async (url) => (await service(url)('/', { method: 'POST', body })).status === 200,
  'a question to the service': async (url) => (await service(url)('/')).status === 200,
};
const service = (url: string) =>
  createServiceClient({ url, token: 't', retryForMs: 0, onWait: (why) => fail(why) });
const fail = (why: string): never => {
  throw new Error(why);
};

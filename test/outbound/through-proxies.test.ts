import { setTimeout as sleep } from 'node:timers/promises';
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { goThrough, sendRequest } from '../../outbound/send-request';
import { startProxy } from '../setup/start-proxy';

const global = getGlobalDispatcher();
afterAll(() => setGlobalDispatcher(global));

test('what only the proxy of a company knows is asked of it, by CONNECT, and what NO_PROXY names is not', async () => {
  const proxy = await startProxy(() => 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
  goThrough({ http: '', https: proxy.url.href, none: 'near.invalid' });
  const ask = (host: string) => sendRequest(`https://${host}/`, { signal: AbortSignal.timeout(10_000) });
  await expect(ask('grain.invalid')).rejects.toMatchObject({
    proxy: { host: proxy.url.host, settings: 'HTTPS_PROXY', status: 403 },
  });
  await expect(ask('near.invalid')).rejects.toThrow('ENOTFOUND');
  expect(proxy.asked).toEqual([expect.stringMatching(/^CONNECT grain\.invalid:443 HTTP\/1\.1\r\n/)]);
  await proxy.stop();
  await expect(ask('far.invalid')).rejects.toMatchObject({
    code: 'ECONNREFUSED',
    proxy: { host: proxy.url.host, settings: 'HTTPS_PROXY' },
  });
});

test('a proxy that closes the connection is asked once', async () => {
  const proxy = await startProxy(() => '');
  goThrough({ http: '', https: proxy.url.href, none: '' });
  const asked = sendRequest('https://grain.invalid/', { signal: AbortSignal.timeout(2_000) });
  const stopping = sleep(1_000).then(() => proxy.stop());
  await expect(asked).rejects.toMatchObject({ code: 'ECONNRESET', proxy: { host: proxy.url.host } });
  expect(proxy.asked).toHaveLength(1);
  await stopping;
});

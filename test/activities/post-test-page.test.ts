import { createPostTestPage } from '../../activities/post-test-page';
import { addTestChannel } from '../setup/add-test-channel';
import { loopbackAgent } from '../setup/loopback-agent';
import { emptyStore } from '../setup/open-store';

// With a worker and a customer: test/workflows/test-endpoint.test.ts.

test('what a customer is told of its own URL has no address inside', async () => {
  const store = await emptyStore();
  const agent = loopbackAgent();
  await addTestChannel(store, 'acme', 'http://10.9.8.7:8080', { name: 'Acme' });
  const answer = await createPostTestPage({ store, agent })('acme');
  expect(answer).toMatchObject({
    class: 'misconfigured',
    reason: expect.stringMatching(/^Acme has a base URL that points to a private address/),
  });
  expect(JSON.stringify(answer)).not.toContain('10.9.8.7');
  await agent.close();
});

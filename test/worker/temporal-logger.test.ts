import pino from 'pino';
import { temporalLogger } from '../../worker/install-runtime';

test('an error that the SDK logs says what it is', () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const error = Object.assign(new Error('Acme answered 404: check the base URL'), { type: 'misconfigured' });
  temporalLogger(log).warn('Workflow failed', { workflowType: 'feedDelivery', error });
  temporalLogger(log).warn('Worker stops', {});
  // One of backlogs has none on purpose.
  temporalLogger(log).warn('No workflows registered, not polling for workflow tasks', {});
  expect(lines).toHaveLength(2);
  expect(lines).toMatchObject([
    {
      msg: 'Workflow failed',
      workflowType: 'feedDelivery',
      error: 'misconfigured: Acme answered 404: check the base URL',
    },
    { msg: 'Worker stops' },
  ]);
});

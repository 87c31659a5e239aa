import { renderLine } from '../../../tools/local/render-line';

test('a JSON line becomes level, message and its own fields', () => {
  const line = JSON.stringify({
    level: 'info',
    time: 1,
    service: 'gdx-api',
    version: '0.1.0',
    msg: 'stored',
    records: 2350,
    ms: 41,
  });
  expect(renderLine(line)).toBe('info  stored records=2350 ms=41');
});

test('an error shows its message, nothing is cut, anything else is passed on', () => {
  const entry = {
    level: 'error',
    msg: 'failed',
    err: { message: 'no route', stack: '...' },
    body: 'x'.repeat(200),
  };
  expect(renderLine(JSON.stringify(entry))).toBe(`error failed err=no route body=${'x'.repeat(200)}`);
  expect(renderLine('plain')).toBe('plain');
  expect(renderLine('{"broken')).toBe('{"broken');
});

test('of a failed delivery the reason comes first, and what has no value is left out', () => {
  const ids = {
    delivery: 'delivery/acme/tickets/7',
    channel: 'acme',
    entity_type: 'tickets',
    catch_up: false,
  };
  const told = { ...ids, run: 7, trigger: 'push', request_id: null, records: 0, pages: 0, bytes: 0 };
  const failed = { failure: 'refused', failure_message: 'Acme answered 422: show them the answer' };
  expect(renderLine(JSON.stringify({ level: 'warn', msg: 'delivery failed', ...told, ...failed }))).toBe(
    'warn  delivery failed failure_message=Acme answered 422: show them the answer failure=refused channel=acme ' +
      'entity_type=tickets delivery=delivery/acme/tickets/7 catch_up=false run=7 trigger=push records=0 pages=0 bytes=0',
  );
});

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

test('an error shows its message, long values are cut, anything else is passed on', () => {
  const entry = {
    level: 'error',
    msg: 'failed',
    err: { message: 'no route', stack: '...' },
    body: 'x'.repeat(200),
  };
  expect(renderLine(JSON.stringify(entry))).toBe(`error failed err=no route body=${'x'.repeat(80)}…`);
  expect(renderLine('plain')).toBe('plain');
  expect(renderLine('{"broken')).toBe('{"broken');
});

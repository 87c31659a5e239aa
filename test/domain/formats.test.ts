import { FORMATS } from '../../domain/records/schemas/formats';

test.each([
  ['date-time', ['2026-11-21T08:00:00Z'], ['2026-11-21', '']],
  ['date-or-date-time', ['2026-11-21', '2026-11-21T08:00:00Z'], ['2026-02-29', '2026-11', 'x2026-11-21', '']],
  [
    'international-phone',
    ['', '+1234567', '+123456789012345', '+1 (701) 555-01.42'],
    ['+123456', '+1234567890123456', '+0701555014', '7015550142', '+1701555014x'],
  ],
  [
    'email-or-empty',
    ['', 'a.b@prairie.example', 'ü@müller.example'],
    ['prairie', 'a b@prairie.example', 'a@prairie', '@prairie.example', `${'a'.repeat(65)}@prairie.example`],
  ],
  [
    'http-url-or-empty',
    ['', 'http://prairie.example', 'HTTPS://prairie.example/a'],
    ['prairie.example', 'ftp://prairie.example', 'http://', 'x http://prairie.example'],
  ],
  [
    'semantic-version',
    ['1.0.0', '10.20.30', '1.0.0-rc.1', '1.0.0+build.5'],
    ['', '1.0', 'v1.0.0', '1.0.0.0', '1.0.0-', 'x.0.0', '1.x.0', '1.0.x', '1.0.0-rc_1'],
  ],
])('%s', (format, good, bad) => {
  expect(good.filter((text) => !FORMATS[format]!(text))).toEqual([]);
  expect(bad.filter((text) => FORMATS[format]!(text))).toEqual([]);
});

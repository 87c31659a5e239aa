import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DOCUMENT } from './read-document';
import { surfaceOf } from './surface';

const published = readFileSync(path.join(__dirname, 'published.txt'), 'utf8').trim().split('\n');
const today = new Set(surfaceOf(DOCUMENT).keys());

test('nothing that was published is gone', () =>
  expect(published.filter((what) => !today.has(what))).toEqual([]));

test('what is new is published: add these lines to test/openapi/published.txt, in order, and remove none', () => {
  expect([...today].filter((what) => !published.includes(what))).toEqual([]);
  expect(published).toEqual([...new Set(published)].sort());
});

test('requests, parameters and fields are published by name', () => {
  for (const what of [
    'POST /api/v1/push',
    'GET /api/v1/channels/{channel_slug}/deliveries?limit',
    'Ticket.truck_driver',
  ])
    expect(today).toContain(what);
});

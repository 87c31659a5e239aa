import { pageRange, progressLine } from '../../domain/records/count';

const window = { records: 6_512, page_size: 1_000, catch_up: false };
const done = { pages: 3, records: 3_000, set_aside: 0 };

test('a delivery’s progress: pages, records, and what was set aside or answered last', () => {
  expect(progressLine(window, done, null)).toBe('page 3 of 7, 3,000 of 6,512 records');
  expect(progressLine(window, { ...done, set_aside: 1_200 }, '200 in 84 ms')).toBe(
    'page 3 of 7, 3,000 of 6,512 records, 1,200 set aside, last answer 200 in 84 ms',
  );
  expect(progressLine(window, { ...done, set_aside: 1 }, null)).toMatch(/records, 1 set aside$/);
});

test('a catch-up does not know how many pages follow', () =>
  expect(progressLine({ ...window, catch_up: true }, done, null)).toBe('3 pages, 3,000 of 6,512 records'));

test('the pages left to deliver', () => {
  expect(pageRange(1, window)).toBe('pages 1 to 7');
  expect(pageRange(7, window)).toBe('page 7');
  expect(pageRange(1_200, window)).toBe('page 1,200');
});

import { closeAtEnd, closingAfter } from './close-at-end';

const closed: string[] = [];
const open = (name: string, of?: 'file') => closeAtEnd(() => closed.push(name), of);

beforeAll(() => void open('of the file'));
beforeEach(() => void open('of beforeEach'));

test('what a test starts stops with it, the last one first, and what it stops itself is not stopped again', async () => {
  open('first');
  const stop = open('second');
  open('for later tests', 'file');
  open('third');
  await stop();
  await stop();
  expect(closed.splice(0)).toEqual(['second']);
});

test('one case of many stops what it has started, also where it fails; the file’s go on', async () => {
  expect(closed.splice(0)).toEqual(['third', 'first', 'of beforeEach']);
  const failing = closingAfter(async () => {
    open('of the case');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  open('of the test');
  expect(closed).toEqual(['of the case']);
});

afterAll(() =>
  expect(closed.slice(1)).toEqual(['of the test', 'of beforeEach', 'for later tests', 'of the file']),
);

import { excerpt } from '../../customer/excerpt';

const KEY = 'sk_live_9f8e7d6c';
const PAIR = Buffer.from(`gdx:${KEY}`).toString('base64');

test.each([
  ['the whole header', `Bearer ${KEY}`, `what is "Bearer ${KEY}"?`],
  ['the key of it', `Bearer ${KEY}`, `invalid token ${KEY}`],
  ['what Basic encodes', `Basic ${PAIR}`, `no user gdx:${KEY}`],
  ['the password of that', `Basic ${PAIR}`, `password ${KEY} is wrong`],
  ['the encoded pair', `Basic ${PAIR}`, `cannot read ${PAIR}`],
  ['the password of a scheme in lower case', `basic ${PAIR}`, `password ${KEY} is wrong`],
])('an answer that gives back %s is kept without it', (_, authorization, answer) => {
  const kept = excerpt(answer, [authorization, undefined]);
  expect(kept).toContain('***');
  expect(kept).not.toContain(KEY);
  expect(kept).not.toContain(PAIR);
});

test('a key of eight characters counts as one', () => {
  expect(excerpt('invalid token korn7mai', ['Bearer korn7mai'])).toBe('invalid token ***');
});

test('nor is the half of a key that stands before the end of what is kept', () => {
  const kept = excerpt(`${'x'.repeat(500)} ${KEY}`, [KEY]);
  expect(kept).toBe(`${'x'.repeat(500)} ***`);
});

test('a password that is shorter than any secret of ours is not kept either', () => {
  const authorization = `Basic ${Buffer.from('gdx:korn7').toString('base64')}`;
  expect(excerpt('password korn7 is wrong', [authorization])).toBe('password *** is wrong');
});

test('nor does it keep a phone, or a token of ours', () => {
  const kept = excerpt('account 42-1001 of (701) 555-0142, key gdx_channel_abc123', []);
  expect(kept).toBe('account 42-1001 of …42, key gdx_channel_…');
});

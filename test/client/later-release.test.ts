import { isLater } from '../../client/say-if-newer';

test.each([
  ['0.2.0', '0.1.9', true],
  ['0.10.0', '0.9.0', true],
  ['1.0.0', '0.99.99', true],
  ['0.1.0', '0.1.0', false],
  ['0.1.9', '0.2.0', false],
  ['<html>', '0.1.0', false],
  ['9.9.9 ', '0.1.0', false],
  ['', '0.1.0', false],
])('%p is later than %p: %p', (one, other, is) => expect(isLater(one, other)).toBe(is));

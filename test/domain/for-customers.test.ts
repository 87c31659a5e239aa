import { failureForCustomers, forCustomers } from '../../domain/deliveries/for-customers';

test.each([
  [
    'gone',
    'Acme answered 410: ask the customer whether the feed is still wanted',
    'Acme answered 410. Answer 410 only if you want nothing more.',
  ],
  [
    'unauthorized',
    'Acme answered 401 and confirmed none of the last 3 attempts: check the channel’s authorization',
    'Acme answered 401 and confirmed none of the last 3 attempts. Check the signing secret, your clock, and the Authorization value that you gave us.',
  ],
  [
    'misconfigured',
    'Acme: the TLS certificate is not valid: check the channel’s base URL',
    'Acme: the TLS certificate is not valid. Check the address ({your base URL}/feed), that it takes POST, and the certificate. Redirects are not followed.',
  ],
  [
    'unavailable',
    'Acme answered 503: the next run tries again from the same place',
    'Acme answered 503: the next run tries again from the same place',
  ],
  [
    'infrastructure',
    'MongoDB or a worker failed for ten minutes; see gdx doctor',
    'Something failed on our side: the next run tries again from the same place',
  ],
  [null, 'A new delivery goes on.', 'A new delivery goes on.'],
  [null, null, null],
])('of %s a customer reads what it can do itself', (failure, message, said) =>
  expect(failureForCustomers(failure, message)).toBe(said),
);

test.each([
  [
    'Acme answered 410: ask whether the feed is still wanted, then gdx channel resume acme',
    'Acme answered 410',
  ],
  ['maintenance: gdx channel resume acme', 'maintenance'],
  ['a reason: of an operator', 'a reason: of an operator'],
])('%s: a customer reads nothing that operators are to do', (sentence, said) =>
  expect(forCustomers(sentence)).toBe(said),
);

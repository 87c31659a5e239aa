import { isFailure, isOurs } from '../../domain/deliveries/alert-class';
import { isSlug } from '../../domain/settings/channel';
import { ENTITY_TYPES, isEntityType } from '../../domain/records/entity-types';
import { isLanguage } from '../../domain/text/language';
import { subjectOf } from '../../domain/deliveries/subject';
import { isTestCompany, testCompanyOf } from '../../domain/records/company-id';

test.each(['a', '7', 'acme', 'acme-2', 'a--b', 'a'.repeat(63)])('%s is a slug', (text) =>
  expect(isSlug(text)).toBe(true),
);
test.each(['', '-a', 'a-', 'Acme', 'a_b', 'a.b', 'a b', 'a\n', 'a'.repeat(64)])('%j is none', (text) =>
  expect(isSlug(text)).toBe(false),
);

test('entity types and languages are known by name only', () => {
  expect([...ENTITY_TYPES, 'elevators', undefined].filter(isEntityType)).toEqual(ENTITY_TYPES);
  expect(['en', 'es', 'fr', undefined].filter(isLanguage)).toEqual(['en', 'es']);
});

test('a catch-up is a subject of its own', () => {
  expect(subjectOf({ entity_type: 'tickets', catch_up: false })).toBe('tickets');
  expect(subjectOf({ entity_type: 'tickets', catch_up: true })).toBe('tickets catch-up');
});

test('only `infrastructure` is our own failure', () =>
  expect((['infrastructure', 'gone'] as const).map(isOurs)).toEqual([true, false]));

test('a channel that stands still, an abuse of codes, a silent integration and a refused record are not failed deliveries', () =>
  expect(
    (['stale', 'codes', 'crowded', 'silent', 'set_aside', 'test', 'infrastructure', 'gone'] as const).filter(
      isFailure,
    ),
  ).toEqual(['infrastructure', 'gone']));

test('a channel’s test company is known by its id', () => {
  const company = testCompanyOf('acme-two-3');
  expect(company).toEqual({ id: 'test.acme_two_3', name: 'TEST company of acme-two-3' });
  expect([company.id, '42', 'contest.', 'Test.1'].map(isTestCompany)).toEqual([true, false, false, false]);
});

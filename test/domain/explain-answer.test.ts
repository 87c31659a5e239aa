import { ANSWER_EFFECTS } from '../../domain/deliveries/answer-effects';
import type { Answer } from '../../domain/deliveries/classify-answer';
import { explainAnswer } from '../../domain/deliveries/explain-answer';

const explained = (answer: Answer) => explainAnswer('Acme', answer, 12.6);

test('a 2xx: nothing is to be mended', () =>
  expect(explained({ status: 204, excerpt: '' })).toEqual({
    status: 204,
    milliseconds: 13,
    class: 'confirmed',
    reason: 'Acme answered 204',
    real_page: ANSWER_EFFECTS.confirmed.effect,
    mend: null,
    answer: null,
  }));

test('another answer: the fate of a real page, what to mend, and the body', () => {
  const { reason, ...rest } = explained({ status: 401, excerpt: 'who are you?' });
  expect(reason).toMatch(/^Acme .*401/);
  expect(rest).toEqual({
    status: 401,
    milliseconds: 13,
    class: 'unauthorized',
    real_page: ANSWER_EFFECTS.unauthorized.effect,
    mend: ANSWER_EFFECTS.unauthorized.mend,
    answer: 'who are you?',
  });
});

test('no answer has no status, and said nothing', () => {
  const { status, answer, reason } = explained({
    status: null,
    problem: 'timeout',
    detail: 'none within 30 s',
  });
  expect({ status, answer }).toEqual({ status: null, answer: null });
  expect(reason).toMatch(/^Acme .*30 s/);
});

test('one without words says nothing', () =>
  expect(explained({ status: 503, excerpt: '' })).toMatchObject({ class: 'unavailable', answer: null }));

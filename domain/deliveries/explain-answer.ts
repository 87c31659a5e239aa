import { ANSWER_EFFECTS, type AnswerClass } from './answer-effects';
import { type Answer, classifyAnswer } from './classify-answer';

/** What a customer's answer to a test page means, in the words of docs/customer.md. */
export interface ExplainedAnswer {
  /** Null where there was no answer. */
  status: number | null;
  milliseconds: number;
  class: AnswerClass;
  /** "Acme answered 503". */
  reason: string;
  /** What would happen to a real page. */
  real_page: string;
  /** What the customer has to fix, if anything. */
  mend: string | null;
  /** The body of the answer, shortened; null for an empty one and for a 2xx. */
  answer: string | null;
}

export function explainAnswer(name: string, answer: Answer, milliseconds: number): ExplainedAnswer {
  const verdict = classifyAnswer(answer);
  const { effect, mend } = ANSWER_EFFECTS[verdict?.failure ?? 'confirmed'];
  return {
    status: answer.status,
    milliseconds: Math.round(milliseconds),
    class: verdict?.failure ?? 'confirmed',
    reason: `${name} ${verdict?.reason ?? `answered ${answer.status}`}`,
    real_page: effect,
    mend: mend ?? null,
    answer: answer.status === null ? null : answer.excerpt || null,
  };
}

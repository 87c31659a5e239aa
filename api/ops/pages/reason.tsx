import type { VNode } from 'preact';
import { randomUUID } from 'node:crypto';
import type { OperatorVerb } from '../../../store/operator-actions';
import { fieldId, type FormProblem } from './form-problem';

/** What every form of an action carries. The form's own id: posted twice, it is done once. */
export function Hidden({ csrf }: { csrf: string }): VNode {
  return (
    <>
      <input type="hidden" name="csrf" value={csrf} />
      <input type="hidden" name="form" value={randomUUID()} />
    </>
  );
}

export function Reason(props: {
  verb: OperatorVerb;
  problem: FormProblem | undefined;
  typed: URLSearchParams;
}): VNode {
  const { verb, typed } = props;
  const own = props.problem?.form === verb ? props.problem : undefined;
  const wrong = own?.field === 'reason' ? own : undefined;
  const id = fieldId(verb, 'reason');
  return (
    <div class={wrong && 'bad'}>
      <label for={id}>Reason, for whoever looks next</label>
      {wrong && (
        <p class="error" id={`${id}-error`}>
          {wrong.message}
        </p>
      )}
      <input
        id={id}
        name="reason"
        type="text"
        required
        maxLength={200}
        autocomplete="off"
        value={own ? (typed.get('reason') ?? '') : ''}
        aria-describedby={wrong ? `${id}-error` : undefined}
        aria-invalid={wrong ? true : undefined}
      />
    </div>
  );
}

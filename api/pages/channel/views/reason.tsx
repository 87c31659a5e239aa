import type { VNode } from 'preact';
import { randomUUID } from 'node:crypto';
import { fieldId, type FormName, type FormProblem } from './form-problem';

/** The fields of every action's form. The form's id makes a repeated post run once. */
export function Hidden({ csrf }: { csrf: string }): VNode {
  return (
    <>
      <input type="hidden" name="csrf" value={csrf} />
      <input type="hidden" name="form" value={randomUUID()} />
    </>
  );
}

export function Reason(props: {
  action: FormName;
  problem: FormProblem | undefined;
  typed: URLSearchParams;
}): VNode {
  const { action, typed } = props;
  const own = props.problem?.form === action ? props.problem : undefined;
  const wrong = own?.field === 'reason' ? own : undefined;
  const id = fieldId(action, 'reason');
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

import type { VNode } from 'preact';
import type { Texts } from '../texts/en';

/** The error of one field. */
export interface FieldError {
  /** The id of the field. */
  field: string;
  message: string;
}

/** The error summary at the top of a page. It takes the focus, so that screen readers read it first. */
export function ErrorSummary({
  texts,
  error,
}: {
  texts: Texts;
  error: FieldError | undefined;
}): VNode | null {
  if (!error) return null;
  return (
    <div class="errors" role="alert" tabIndex={-1} autoFocus aria-labelledby="problem">
      <h2 id="problem">{texts.problem}</h2>
      <ul>
        <li>
          <a href={`#${error.field}`}>{error.message}</a>
        </li>
      </ul>
    </div>
  );
}

/** The same message beside the field. */
export function FieldMessage({ error }: { error: FieldError | undefined }): VNode | null {
  if (!error) return null;
  return (
    <p class="error" id={`${error.field}-error`}>
      {error.message}
    </p>
  );
}

import type { ChannelActionName } from '../../../store/callers/operator-actions';

/** The forms on the pages of a channel. */
export type FormName = ChannelActionName | 'rotate-secret' | 'notify';

/** The error of one field in one of a channel's forms. */
export interface FormProblem {
  form: FormName;
  field: string;
  message: string;
}

/** The id of a field, unique on the page: its forms share field names. */
export const fieldId = (form: FormName, field: string) => `${form}-${field.replaceAll('_', '-')}`;

import type { ChannelActionName } from '../../../store/access/operator-actions';

/** The error of one field in one of a channel's forms. */
export interface FormProblem {
  form: ChannelActionName;
  field: string;
  message: string;
}

/** The id of a field, unique on the page: its forms share field names. */
export const fieldId = (form: ChannelActionName, field: string) => `${form}-${field.replace('_', '-')}`;

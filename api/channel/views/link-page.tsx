import type { VNode } from 'preact';
import type { ActionField } from '../actions';
import { actionPath } from '../door';
import { Fields, type Forms } from './actions';
import { fieldId } from './form-problem';
import { PageLayout, Problem } from './page-layout';
import { Hidden, Reason, When } from './page-parts';

const FIELDS: ActionField[] = [
  {
    name: 'partner_id',
    label: 'What you know the farmer by',
    input: { type: 'text', required: true, maxLength: 128 },
  },
  { name: 'phone', label: 'The farmer’s phone', input: { type: 'tel', required: true } },
  {
    name: 'callback_url',
    label: 'Where the farmer returns to',
    input: { type: 'url' },
    filled: ({ callback_origins: [origin = ''] }) => origin,
  },
  {
    name: 'days',
    label: 'Days that it works',
    input: { type: 'number', required: true },
    filled: () => '30',
  },
];

export interface MadeLink {
  link: string;
  expires_at: Date;
}

/** The form for a link, below the link that was just made, if any. */
export function linkPage({
  made,
  problem,
  ...rest
}: Omit<Forms, 'problem'> & { problem?: Forms['problem']; made?: MadeLink }): VNode {
  const { context, typed } = rest;
  const forms = { ...rest, problem };
  return (
    <PageLayout context={context} title="A link for a farmer" error={!!problem}>
      {problem && <Problem field={fieldId('link', problem.field)} message={problem.message} />}
      <h1>A link for a farmer</h1>
      {made && (
        <>
          <p class="done" role="status">
            <b>Done.</b> Send this link to the farmer, and to nobody else. It works until{' '}
            <When at={made.expires_at} now={context.now} />.
          </p>
          <p>
            <code>{made.link}</code>
          </p>
        </>
      )}
      <p>
        With it the farmer proves the phone by a code, and chooses the accounts that you get. Neither phone
        nor what you know them by is kept until then.
      </p>
      <form method="post" action={actionPath(context.door, 'link')} class="narrow">
        <Hidden csrf={context.csrf} />
        {FIELDS.map((field) => (
          <Fields key={field.name} forms={forms} action="link" fields={[field]} />
        ))}
        <Reason action="link" problem={problem} typed={typed} />
        <button>Make the link</button>
      </form>
      <p>
        <a href={context.door.paths.channel}>Your channel</a>
      </p>
    </PageLayout>
  );
}

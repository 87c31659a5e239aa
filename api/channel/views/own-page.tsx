import { Fragment, type VNode } from 'preact';
import type { AnyDeed } from '../../../control/deed';
import { drawnFields } from '../actions';
import { actionPath } from '../door';
import { Fields, type Forms } from './actions';
import { fieldId } from './form-problem';
import { PageLayout, Problem } from './page-layout';
import { Hidden, Reason, When } from './page-parts';

/** What a deed has made, as it is shown in one answer only. */
export type MadeOnce = ReturnType<NonNullable<NonNullable<AnyDeed['page']>['own']>['made']>;

/** The page of one deed alone: its form, below what was just made, if anything. */
export function ownPage(props: Forms & { deed: AnyDeed; made: MadeOnce | undefined }): VNode {
  const { deed, made, ...forms } = props;
  const { context, channel, problem } = forms;
  const { says, own } = deed.page!;
  const title = made?.title ?? deed.page!.title!;
  const { button, isGrave } = own!;
  const { name } = deed;
  return (
    <PageLayout context={context} title={title} error={!!problem}>
      {problem && <Problem field={fieldId(name, problem.field)} message={problem.message} />}
      <h1>{title}</h1>
      {made && <Made {...made} now={context.now} />}
      {!(made && isGrave) && (
        <>
          <p>{says}</p>
          <form method="post" action={actionPath(context.door, name, channel._id)} class="narrow">
            <Hidden csrf={context.csrf} />
            {drawnFields(deed).map((field) => (
              <Fields key={field[0]} forms={forms} action={name} fields={[field]} />
            ))}
            <Reason {...forms} action={name} />
            <button class={isGrave && 'danger'}>{button}</button>
          </form>
        </>
      )}
      <p>
        <a href={context.door.paths.channel}>
          {isGrave && !made ? 'Back, and change nothing' : 'Your channel'}
        </a>
      </p>
    </PageLayout>
  );
}

function Made({ says, facts, now }: Omit<MadeOnce, 'title'> & { now: Date }): VNode {
  return (
    <>
      <p class="done" role="status">
        <b>Done.</b> {says}
      </p>
      <dl>
        {Object.entries(facts).map(([label, fact]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>
              {typeof fact === 'string' ? (
                <code>{fact}</code>
              ) : (
                <When at={fact} now={now} none="already expired" />
              )}
            </dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}

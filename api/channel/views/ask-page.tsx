import type { VNode } from 'preact';
import type { AnyDeed, Field } from '../../../control/deed';
import { plain } from '../../../domain/text/masked';
import type { Channel } from '../../../store/channels/channels';
import { actionPath, pathOf } from '../door';
import { fieldId } from './form-problem';
import { PageLayout, Problem, type ChannelPageContext } from './page-layout';
import { FactList, Hidden, Reason } from './page-parts';

/** The effect of a deed, and the button that does it. */
export function askPage(props: {
  context: ChannelPageContext;
  channel: Channel;
  deed: AnyDeed;
  input: Record<string, unknown>;
  effect: object;
  error: string | undefined;
}): VNode {
  const { context, channel, deed, input, effect, error } = props;
  const { name, sends } = deed;
  const { title, asks } = deed.page!;
  const customer = plain(channel.name);
  const nothing = sends!.nothing?.({ ...channel, name: customer }, effect);
  const problem =
    error === undefined ? undefined : ({ form: name, field: 'reason', message: error } as const);
  const fields = Object.entries<Field<unknown>>(deed.input).map(([field, { form, show }]) => ({
    field,
    label: form?.label ?? field,
    shown: show(input[field]),
  }));
  return (
    <PageLayout context={context} title={`${asks!.title(input)} of ${customer}`} error={!!error}>
      {error && <Problem field={fieldId(name, 'reason')} message={error} />}
      <h1>{title}</h1>
      <p class="effect">
        {nothing || (
          <>
            This would {sends!.verb} <b>{sends!.what(input, effect)}</b> to {customer}.
          </>
        )}
      </p>
      <FactList
        facts={[
          ['Channel', channel._id],
          ...fields.map(({ label, shown }) => [label, shown] as [string, string]),
        ]}
      />
      {channel.state === 'paused' && !nothing && !deed.ofClosed && (
        <p>The channel is paused: the records are sent when it is resumed.</p>
      )}
      {!nothing && (
        <form method="post" action={actionPath(context.door, name, channel._id)} class="narrow">
          <Hidden csrf={context.csrf} />
          {fields.map(({ field, shown }) => (
            <input key={field} type="hidden" name={field} value={shown} />
          ))}
          <Reason action={name} problem={problem} typed={new URLSearchParams()} />
          <button class="danger">{asks!.button}</button>
        </form>
      )}
      <p>
        <a href={pathOf(context.door, 'channel', channel._id)}>Back, and change nothing</a>
      </p>
    </PageLayout>
  );
}

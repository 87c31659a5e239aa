import { Fragment, type VNode } from 'preact';
import type { Channel } from '../../../store/channels/channels';
import { type ActionField, type ActionName, ACTIONS, type ChannelAction } from '../actions';
import { actionPath } from '../door';
import { fieldId, type FormProblem } from './form-problem';
import type { ChannelPageContext } from './page-layout';
import { Hidden, Reason } from './page-parts';

export interface Forms {
  context: ChannelPageContext;
  channel: Channel;
  problem: FormProblem | undefined;
  /** What was typed: the posted form, or for a GET the query. */
  typed: URLSearchParams;
}

/** The actions of this door, one collapsed form each. */
export function Actions(forms: Forms): VNode {
  const { channel, context } = forms;
  const { door } = context;
  const own = ACTIONS.filter(
    ({ doors, isOffered = () => true }) => doors.includes(door.holder) && isOffered(channel),
  );
  return (
    <div class="actions">
      {own
        .filter(({ form }) => form)
        .map((action) => (
          <Action key={action.name} forms={forms} action={action} />
        ))}
      {own.map(
        ({ name, link }) =>
          link && (
            <p key={name}>
              <a href={actionPath(door, name, channel._id)}>{link}</a>
            </p>
          ),
      )}
    </div>
  );
}

function Action({ forms, action: { name, form } }: { forms: Forms; action: ChannelAction }): VNode {
  const { title, says, fields = [], asks } = form!;
  const { context, channel, problem } = forms;
  return (
    <details open={problem?.form === name}>
      <summary>{title}</summary>
      <p>{says}</p>
      <form method={asks ? 'get' : 'post'} action={actionPath(context.door, name, channel._id)}>
        {!asks && <Hidden csrf={context.csrf} />}
        {fields.length > 0 && <Fields forms={forms} action={name} fields={fields} />}
        {!asks && <Reason {...forms} action={name} />}
        <button class={asks && 'second'}>{asks ?? title}</button>
      </form>
    </details>
  );
}

/** The fields of an action, below the error of the first that is wrong. */
export function Fields({
  forms,
  action,
  fields,
}: {
  forms: Forms;
  action: ActionName;
  fields: readonly ActionField[];
}): VNode {
  const { channel, problem, typed } = forms;
  const own = problem?.form === action ? problem : undefined;
  const wrong = fields.some(({ name }) => name === own?.field) ? own : undefined;
  return (
    <div class={wrong && 'bad'}>
      {wrong && (
        <p class="error" id={`${action}-error`}>
          {wrong.message}
        </p>
      )}
      {fields.map(({ name, label, input, choices, filled }) => {
        const id = fieldId(action, name);
        return (
          <Fragment key={name}>
            <label for={id}>{label}</label>
            {choices ? (
              <select id={id} name={name}>
                {choices(channel).map((one) => (
                  <option key={one} selected={one === typed.get(name)}>
                    {one}
                  </option>
                ))}
              </select>
            ) : (
              <input
                id={id}
                name={name}
                value={own ? (typed.get(name) ?? '') : (filled?.(channel) ?? '')}
                aria-describedby={wrong ? `${action}-error` : undefined}
                aria-invalid={wrong ? true : undefined}
                autocomplete={input?.type === 'datetime-local' ? undefined : 'off'}
                {...input}
              />
            )}
          </Fragment>
        );
      })}
    </div>
  );
}

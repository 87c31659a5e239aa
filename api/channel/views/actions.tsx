import { Fragment, type VNode } from 'preact';
import type { AnyDeed } from '../../../control/deed';
import type { Channel } from '../../../store/channels/channels';
import { asksWhy } from '../asker-of';
import { ACTIONS, drawnFields } from '../actions';
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
  const offered = ACTIONS.filter(
    ({ page }) => page!.doors.includes(door.holder) && (page!.isOffered?.(channel) ?? true),
  );
  return (
    <div class="actions">
      {offered.map((deed) => {
        const { own, title } = deed.page!;
        return title && !own && <Action key={deed.name} forms={forms} deed={deed} />;
      })}
      {offered.map(
        ({ name, page }) =>
          page!.own && (
            <p key={name}>
              <a href={actionPath(door, name, channel._id)}>{page!.own.link}</a>
            </p>
          ),
      )}
    </div>
  );
}

function Action({ forms, deed }: { forms: Forms; deed: AnyDeed }): VNode {
  const { title, says, asks } = deed.page!;
  const { name } = deed;
  const { context, channel, problem } = forms;
  const fields = drawnFields(deed);
  return (
    <details open={problem?.form === name}>
      <summary>{title}</summary>
      <p>{says}</p>
      <form method={asks ? 'get' : 'post'} action={actionPath(context.door, name, channel._id)}>
        {!asks && <Hidden csrf={context.csrf} />}
        {fields.length > 0 && <Fields forms={forms} action={name} fields={fields} />}
        {!asks && asksWhy(deed, context.door) && <Reason {...forms} action={name} />}
        <button class={asks && 'second'}>{asks?.open ?? title}</button>
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
  action: string;
  fields: ReturnType<typeof drawnFields>;
}): VNode {
  const { channel, problem, typed } = forms;
  const own = problem?.form === action ? problem : undefined;
  const wrong = fields.some(([name]) => name === own?.field) ? own : undefined;
  return (
    <div class={wrong && 'bad'}>
      {wrong && (
        <p class="error" id={`${action}-error`}>
          {wrong.message}
        </p>
      )}
      {fields.map(([name, { form }]) => {
        const { label, input, choices, filled } = form!;
        const id = fieldId(action, name);
        const flawed = { 'aria-describedby': wrong ? `${action}-error` : undefined };
        if (input?.type === 'checkbox')
          return (
            <label class="tick" key={name}>
              <input type="checkbox" id={id} name={name} value="yes" checked={typed.has(name)} {...flawed} />
              <span>{label}</span>
            </label>
          );
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
                {...flawed}
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

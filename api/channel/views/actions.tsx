import type { ComponentChildren, JSX, VNode } from 'preact';
import type { Channel } from '../../../store/channels/channels';
import { MOST_CHARACTERS } from '../resend-request';
import { pathOf } from '../door';
import { fieldId, type FormName, type FormProblem } from './form-problem';
import type { ChannelPageContext } from './page-layout';
import { Hidden, Reason } from './page-parts';

export interface Forms {
  context: ChannelPageContext;
  channel: Channel;
  problem: FormProblem | undefined;
  /** The posted form. */
  typed: URLSearchParams;
}

/** The actions of this door, one collapsed form each. */
export function Actions(forms: Forms): VNode {
  const { channel, context } = forms;
  const { deliver, pause, resume, rotateSecret, notify } = context.door.paths;
  const running = channel.state === 'active';
  return (
    <div class="actions">
      {running && deliver && (
        <Action forms={forms} action="deliver" title="Deliver now">
          <p>Runs at once instead of at the next due time.</p>
        </Action>
      )}
      {running && pause && (
        <Action forms={forms} action="pause" title="Pause">
          <p>Sends nothing more until it is resumed. Nothing is lost.</p>
        </Action>
      )}
      {!running && resume && (
        <Action forms={forms} action="resume" title="Resume">
          <p>Delivers at once, from where the customer left off.</p>
        </Action>
      )}
      <Closed forms={forms} action="reset" title="Reset a marker">
        <p>Sends again what has changed since a time. The next page says how much that is, and asks.</p>
        <form method="get" action={pathOf(forms.context.door, 'reset', channel._id)}>
          <Reset {...forms} />
          <button class="second">See what would be resent</button>
        </form>
      </Closed>
      {channel.delivery !== 'pull' && (
        <Action forms={forms} action="test" title="Post a test page">
          <p>Posts an empty page, marked as a test, and says what the answer means. No marker moves.</p>
        </Action>
      )}
      <Action forms={forms} action="resend" title="Send an account again" fields={<Resend {...forms} />}>
        <p>Sends all records of one type of one account again. No marker moves.</p>
      </Action>
      {notify && (
        <Action
          forms={forms}
          action="notify"
          title="Set the notification address"
          fields={<Notify {...forms} />}
        >
          <p>
            We post there, signed like a page, when deliveries fail, pause and recover, and when farmers begin
            or stop sharing. Empty: nothing is told.
          </p>
        </Action>
      )}
      {rotateSecret && (
        <p>
          <a href={rotateSecret}>Rotate the signing secret</a>
        </p>
      )}
    </div>
  );
}

type ActionForm = Exclude<FormName, 'rotate-secret'>;

function Action(props: {
  forms: Forms;
  action: ActionForm;
  title: string;
  fields?: VNode;
  children: ComponentChildren;
}): VNode {
  const { forms, action, title, fields, children } = props;
  return (
    <Closed forms={forms} action={action} title={title}>
      {children}
      <form method="post" action={pathOf(forms.context.door, action, forms.channel._id)}>
        <Hidden csrf={forms.context.csrf} />
        {fields}
        <Reason {...forms} action={action} />
        <button>{title}</button>
      </form>
    </Closed>
  );
}

function Closed(props: {
  forms: Forms;
  action: ActionForm;
  title: string;
  children: ComponentChildren;
}): VNode {
  const { forms, action, title, children } = props;
  return (
    <details open={forms.problem?.form === action}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

function Reset(forms: Forms): VNode {
  return (
    <Fields forms={forms} action="reset" ofType name="timestamp" label="Changed at or after (UTC)">
      {(field) => <input {...field} type="datetime-local" step="1" required />}
    </Fields>
  );
}

function Resend(forms: Forms): VNode {
  return (
    <Fields forms={forms} action="resend" ofType name="account" label="Account, as in the feed: 42-1001">
      {(field) => <input {...field} type="text" required maxLength={MOST_CHARACTERS} autocomplete="off" />}
    </Fields>
  );
}

function Notify(forms: Forms): VNode {
  const { notify_url = '' } = forms.channel;
  return (
    <Fields forms={forms} action="notify" name="notify_url" label="Address" before={notify_url}>
      {(field) => <input {...field} type="url" autocomplete="off" />}
    </Fields>
  );
}

/** One field, and before it the entity type of the records that are meant, with what is wrong with them. */
function Fields(props: {
  forms: Forms;
  action: ActionForm;
  ofType?: true;
  name: string;
  label: string;
  before?: string;
  children: (field: JSX.InputHTMLAttributes) => VNode;
}): VNode {
  const { action, ofType, name, label, before = '', children } = props;
  const { channel, problem, typed } = props.forms;
  const own = problem?.form === action ? problem : undefined;
  const wrong = own?.field === 'reason' ? undefined : own;
  const [type, id] = [fieldId(action, 'entity_type'), fieldId(action, name)];
  return (
    <div class={wrong && 'bad'}>
      {wrong && (
        <p class="error" id={`${action}-error`}>
          {wrong.message}
        </p>
      )}
      {ofType && (
        <>
          <label for={type}>Entity type</label>
          <select id={type} name="entity_type">
            {channel.entity_types.map((one) => (
              <option key={one} selected={one === typed.get('entity_type')}>
                {one}
              </option>
            ))}
          </select>
        </>
      )}
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        value: own ? (typed.get(name) ?? '') : before,
        'aria-describedby': wrong ? `${action}-error` : undefined,
        'aria-invalid': wrong ? true : undefined,
      })}
    </div>
  );
}

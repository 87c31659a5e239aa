import type { ComponentChildren, VNode } from 'preact';
import type { Channel } from '../../../../store/feed/channels';
import type { ChannelActionName } from '../../../../store/access/operator-actions';
import { pathOf } from '../door';
import { fieldId, type FormProblem } from './form-problem';
import type { ChannelPageContext } from './page-layout';
import { Hidden, Reason } from './reason';

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
  const { deliver, pause, resume, rotateSecret } = context.door.paths;
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
      {rotateSecret && (
        <p>
          <a href={rotateSecret}>Rotate the signing secret</a>
        </p>
      )}
    </div>
  );
}

type PageAction = Exclude<ChannelActionName, 'resend'>;

function Action(props: {
  forms: Forms;
  action: PageAction;
  title: string;
  children: ComponentChildren;
}): VNode {
  const { forms, action, title, children } = props;
  return (
    <Closed forms={forms} action={action} title={title}>
      {children}
      <form method="post" action={pathOf(forms.context.door, action, forms.channel._id)}>
        <Hidden csrf={forms.context.csrf} />
        <Reason {...forms} action={action} />
        <button>{title}</button>
      </form>
    </Closed>
  );
}

function Closed(props: {
  forms: Forms;
  action: PageAction;
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

function Reset({ channel, problem, typed }: Forms): VNode {
  const wrong = problem?.form === 'reset' ? problem : undefined;
  const [type, time] = [fieldId('reset', 'entity_type'), fieldId('reset', 'timestamp')];
  return (
    <div class={wrong && 'bad'}>
      {wrong && (
        <p class="error" id="reset-error">
          {wrong.message}
        </p>
      )}
      <label for={type}>Entity type</label>
      <select id={type} name="entity_type">
        {channel.entity_types.map((name) => (
          <option key={name} selected={name === typed.get('entity_type')}>
            {name}
          </option>
        ))}
      </select>
      <label for={time}>Changed at or after (UTC)</label>
      <input
        id={time}
        name="timestamp"
        type="datetime-local"
        step="1"
        required
        value={wrong ? (typed.get('timestamp') ?? '') : ''}
        aria-describedby={wrong ? 'reset-error' : undefined}
        aria-invalid={wrong ? true : undefined}
      />
    </div>
  );
}

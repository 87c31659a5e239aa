import type { ComponentChildren, VNode } from 'preact';
import type { Channel } from '../../../store/channels';
import type { OperatorVerb } from '../../../store/operator-actions';
import { OPS, pathOf } from '../paths';
import { fieldId, type FormProblem } from './form-problem';
import type { OpsFrame } from './ops-layout';
import { Hidden, Reason } from './reason';

export interface Forms {
  frame: OpsFrame;
  channel: Channel;
  problem: FormProblem | undefined;
  /** What was posted. */
  typed: URLSearchParams;
}

/** What an operator can do, one form each, closed until it is wanted. */
export function Actions(forms: Forms): VNode {
  const { channel } = forms;
  const running = channel.state === 'active';
  return (
    <div class="actions">
      {running && (
        <Action forms={forms} verb="deliver" title="Deliver now">
          <p>Runs at once instead of at the next due time.</p>
        </Action>
      )}
      {running ? (
        <Action forms={forms} verb="pause" title="Pause">
          <p>Sends nothing more until it is resumed. Nothing is lost.</p>
        </Action>
      ) : (
        <Action forms={forms} verb="resume" title="Resume">
          <p>Delivers at once, from where the customer left off.</p>
        </Action>
      )}
      <Closed forms={forms} verb="reset" title="Reset a marker">
        <p>Sends again what has changed since a time. The next page says how much that is, and asks.</p>
        <form method="get" action={pathOf('reset', channel._id)}>
          <Reset {...forms} />
          <button class="second">See what would be resent</button>
        </form>
      </Closed>
    </div>
  );
}

function Action(props: {
  forms: Forms;
  verb: keyof typeof OPS & OperatorVerb;
  title: string;
  children: ComponentChildren;
}): VNode {
  const { forms, verb, title, children } = props;
  return (
    <Closed forms={forms} verb={verb} title={title}>
      {children}
      <form method="post" action={pathOf(verb, forms.channel._id)}>
        <Hidden csrf={forms.frame.csrf} />
        <Reason {...forms} verb={verb} />
        <button>{title}</button>
      </form>
    </Closed>
  );
}

function Closed(props: {
  forms: Forms;
  verb: OperatorVerb;
  title: string;
  children: ComponentChildren;
}): VNode {
  const { forms, verb, title, children } = props;
  return (
    <details open={forms.problem?.form === verb}>
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

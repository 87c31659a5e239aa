import type { VNode } from 'preact';
import type { Channel } from '../../../store/channels/channels';
import type { RotatedSecret } from '../../../store/channels/signing-secrets';
import { fieldId, type FormProblem } from './form-problem';
import { PageLayout, Problem, type ChannelPageContext } from './page-layout';
import { Hidden, Reason, When } from './page-parts';
import { actionPath } from '../door';

/** What a new signing secret means, and the button that makes one. */
export function rotateSecretPage(props: {
  context: ChannelPageContext;
  channel: Channel;
  problem: FormProblem | undefined;
  typed: URLSearchParams;
}): VNode {
  const { context, channel, problem, typed } = props;
  const atOnce = fieldId('rotate-secret', 'at_once');
  const wrong = problem?.field === 'at_once' ? problem : undefined;
  return (
    <PageLayout context={context} title="Rotate the signing secret" error={!!problem}>
      {problem && <Problem field={fieldId('rotate-secret', problem.field)} message={problem.message} />}
      <h1>Rotate the signing secret</h1>
      <p>
        Makes a new secret and a new public key for {channel._id}. For 24 hours pages carry the signatures of
        both the old ones and the new ones, so you can replace yours at your own pace. The next page shows the
        secret, once.
      </p>
      <form method="post" action={actionPath(context.door, 'rotate-secret')} class="narrow">
        <Hidden csrf={context.csrf} />
        <div class={wrong && 'bad'}>
          {wrong && (
            <p class="error" id={`${atOnce}-error`}>
              {wrong.message}
            </p>
          )}
          <label class="tick">
            <input
              type="checkbox"
              id={atOnce}
              name="at_once"
              value="yes"
              checked={typed.get('at_once') === 'yes'}
              aria-describedby={wrong ? `${atOnce}-error` : undefined}
            />
            <span>
              Drop the old ones at once, because they have leaked. Until you have the new one you can check no
              page.
            </span>
          </label>
        </div>
        <Reason action="rotate-secret" problem={problem} typed={typed} />
        <button class="danger">Rotate the signing secret</button>
      </form>
      <p>
        <a href={context.door.paths.channel}>Back, and change nothing</a>
      </p>
    </PageLayout>
  );
}

/** The new secret, in this answer only; a form that is posted again does not show it again. */
export function rotatedPage(props: {
  context: ChannelPageContext;
  channel: Channel;
  rotated: RotatedSecret | undefined;
}): VNode {
  const { context, channel, rotated } = props;
  return (
    <PageLayout context={context} title="The signing secret">
      <h1>The signing secret of {channel._id}</h1>
      {rotated ? (
        <>
          <p class="done" role="status">
            <b>Done.</b> Copy the secret now: it is shown only here, once.
          </p>
          <dl>
            <dt>Signing secret</dt>
            <dd>
              <code>{rotated.signingSecret}</code>
            </dd>
            <dt>Public key</dt>
            <dd>
              <code>{rotated.publicKey}</code>
            </dd>
            <dt>The old ones sign until</dt>
            <dd>
              <When at={rotated.old_until} now={context.now} none="already expired" />
            </dd>
          </dl>
        </>
      ) : (
        <p class="unsure" role="status">
          <b>Nothing was changed again.</b> This form was sent before, and the secret was shown then. If you
          do not have it, <a href={actionPath(context.door, 'rotate-secret')}>rotate it again</a>.
        </p>
      )}
      <p>
        <a href={context.door.paths.channel}>Your channel</a>
      </p>
    </PageLayout>
  );
}

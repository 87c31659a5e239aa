import type { VNode } from 'preact';
import type { Channel } from '../../../store/channels/channels';
import type { RotatedSecret } from '../../../store/channels/signing-secrets';
import { PageLayout, type ChannelPageContext } from './page-layout';
import { When } from './page-parts';
import { actionPath } from '../door';

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

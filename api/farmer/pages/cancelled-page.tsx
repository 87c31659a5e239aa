import type { VNode } from 'preact';
import { LEAVE_UNCHANGED, PATHS } from '../paths';
import { Layout, type FarmerPageContext } from './layout';
import { Links } from './ways-out';

export function cancelledPage(props: { context: FarmerPageContext; customer: string }): VNode {
  const { context, customer } = props;
  const t = context.texts.cancelled;
  return (
    <Layout context={context} title={t.title}>
      <p>{t.text}</p>
      <div class="buttons">
        <a class="button main" href={LEAVE_UNCHANGED}>
          {t.continue(customer)}
        </a>
      </div>
      <Links to={[[PATHS.accounts, t.back]]} />
    </Layout>
  );
}

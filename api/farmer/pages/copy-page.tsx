import type { VNode } from 'preact';
import { SHARING } from '../paths';
import { Layout, type FarmerPageContext } from './layout';
import { Links } from './ways-out';

/** The page that explains the copy. It asks for a code first, and then offers the copy in each of its forms. */
export function copyPage(props: {
  context: FarmerPageContext;
  customer: string;
  /** The code was entered, so the copy can be had. */
  proven: boolean;
  /** Whether a call is offered beside a text. */
  calls: boolean;
  /** No code would lead to a copy now, so none is offered. */
  shut: boolean;
  /** The reason why there is no copy now. */
  problem: string | undefined;
}): VNode {
  const { context, customer, proven, calls, shut, problem } = props;
  const { sharing, production, code, phone, goBack } = context.texts;
  return (
    <Layout context={context} title={sharing.copy.title}>
      <p>{sharing.copy.page(customer)}</p>
      {!proven && !shut && <p>{sharing.copy.code}</p>}
      {problem !== undefined && (
        <p class="note" role="status">
          {problem}
        </p>
      )}
      <div class="buttons">
        {proven ? (
          <>
            <a class="button main" href={SHARING.copyToRead}>
              {sharing.copy.read}
            </a>
            <a class="button second" href={SHARING.copyTable}>
              {sharing.copy.table}
            </a>
            <a class="button second" href={SHARING.copyFile}>
              {sharing.copy.file}
            </a>
            <a class="button second" href={SHARING.copyProduction}>
              {production.read}
            </a>
            <a class="button second" href={SHARING.copyLoads}>
              {production.table}
            </a>
          </>
        ) : (
          !shut && (
            <button class="main" name="do" value="resend">
              {code.resend}
            </button>
          )
        )}
        {!proven && !shut && calls && (
          <button class="second" name="do" value="call">
            {phone.call}
          </button>
        )}
      </div>
      <Links to={[[SHARING.customers, goBack]]} />
    </Layout>
  );
}

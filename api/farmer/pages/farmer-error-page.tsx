import type { VNode } from 'preact';
import type { Language } from '../../../domain/text/language';
import type { FarmerPageError, FarmerPageErrorKind } from '../farmer-page-error';
import type { Texts } from '../texts/en';
import { bilingualPage } from './bilingual-page';
import { Links, type To } from './ways-out';

const NO_WAY_ON = new Set<FarmerPageErrorKind>(['over', 'gone', 'unknownPage', 'elsewhere']);
const TRY_AGAIN = new Set<FarmerPageErrorKind>(['notSent', 'busy', 'crowded']);

/** The first page of each side, by the name that is its path. */
export type PageName = keyof Texts['pages'];

/** The page of an error, with a link to continue where there is one; of an unknown address with links to these pages. */
export function farmerErrorPage(props: {
  first: Language;
  pageError: FarmerPageError;
  here: string;
  pages: readonly PageName[];
}): VNode {
  const { kind, details } = props.pageError;
  const back = details.back ?? (NO_WAY_ON.has(kind) ? undefined : props.here);
  return bilingualPage(
    props.first,
    ({ pageError }) => pageError[kind].title,
    (texts) => (
      <>
        <p>{texts.pageError[kind].text}</p>
        {kind === 'unknownPage' && (
          <Links to={props.pages.map((name): To => [`/${name}`, texts.pages[name]])} />
        )}
        {details.waitMs && <p>{texts.pageError.wait(Math.ceil(details.waitMs / 60_000))}</p>}
        {back !== undefined && (
          <p>
            <a class="button" href={back}>
              {TRY_AGAIN.has(kind) ? texts.tryAgain : texts.goBack}
            </a>
          </p>
        )}
      </>
    ),
  );
}

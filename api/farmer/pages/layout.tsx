import type { ComponentChildren, VNode } from 'preact';
import { LANGUAGES, type Language } from '../../../domain/text/language';
import { signInPathsAt } from '../paths';
import { FARMER_STYLE } from '../style';
import type { Texts } from '../texts/en';
import { ErrorSummary, type FieldError } from './errors';

/** The context of every page of a session. */
export interface FarmerPageContext {
  texts: Texts;
  language: Language;
  service: string;
  /** The address that the page's form is posted to. */
  action: string;
  csrf: string;
  /** The phone is verified, so the page offers to sign out. */
  verified: boolean;
}

/** A page of a session: its title, with the error of a field above it, and what is below. */
export function Layout(props: {
  context: FarmerPageContext;
  title: string;
  error?: FieldError | undefined;
  children: ComponentChildren;
}): VNode {
  const { context, title, error, children } = props;
  const { texts, language, service, action, csrf, verified } = context;
  const other = LANGUAGES.find((code) => code !== language) as Language;
  return (
    <Html language={language} title={`${error ? texts.errorTitle(title) : title} – ${service}`}>
      <form method="post" action={action} noValidate>
        <input type="hidden" name="csrf" value={csrf} />
        {/* The Return key presses a form's first button: this one, not the language switch. */}
        <button class="hidden" tabIndex={-1} aria-hidden="true" />
        <header>
          <p>{service}</p>
          <button class="second" name="language" value={other} lang={other}>
            {texts.switchTo}
          </button>
        </header>
        <main>
          <ErrorSummary texts={texts} error={error} />
          <h1>{title}</h1>
          {children}
        </main>
      </form>
      {verified && (
        <form method="post" action={signInPathsAt(action).signOut} class="sign-out">
          <input type="hidden" name="csrf" value={csrf} />
          <button class="second">{texts.signOut}</button>
        </form>
      )}
    </Html>
  );
}

/** The HTML document. The empty icon saves the browser a request. */
export function Html(props: { language: Language; title: string; children: ComponentChildren }): VNode {
  return (
    <html lang={props.language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="format-detection" content="telephone=no" />
        <title>{props.title}</title>
        <link rel="icon" href="data:," />
        <style dangerouslySetInnerHTML={{ __html: FARMER_STYLE }} />
      </head>
      <body>{props.children}</body>
    </html>
  );
}

import type { ComponentChildren, VNode } from 'preact';
import { LANGUAGES, type Language } from '../../../domain/language';
import { STYLE } from '../style';
import type { Texts } from '../texts/en';

/** What every page of a visit has around it. */
export interface Frame {
  texts: Texts;
  language: Language;
  service: string;
  /** Where its one form is posted to. */
  action: string;
  csrf: string;
}

export function Layout(props: {
  frame: Frame;
  title: string;
  error?: boolean | undefined;
  children: ComponentChildren;
}): VNode {
  const { frame, title, error, children } = props;
  const { texts, language, service, action, csrf } = frame;
  const other = LANGUAGES.find((code) => code !== language) as Language;
  return (
    <Html language={language} title={`${error ? texts.errorTitle(title) : title} – ${service}`}>
      <form method="post" action={action} noValidate>
        <input type="hidden" name="csrf" value={csrf} />
        {/* Return in a field presses a form's first button: this one, not the change of language. */}
        <button class="hidden" tabIndex={-1} aria-hidden="true" />
        <header>
          <p>{service}</p>
          <button class="second" name="language" value={other} lang={other}>
            {texts.switchTo}
          </button>
        </header>
        <main>{children}</main>
      </form>
    </Html>
  );
}

/** The document around a page's body. The empty icon saves the browser a request. */
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
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>{props.children}</body>
    </html>
  );
}

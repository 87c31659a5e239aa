import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { escapedInPage } from '../../../domain/text/escaped';
import { type Copy, isSaid, labelOf, recordOf, type SentRecord, inWords } from '../copy-words';
import { SHARING } from '../paths';
import type { Texts } from '../texts/en';
import { Html } from './layout';
import { Links } from './ways-out';

// The place in the page where its records come, which no name holds: a name's is escaped.
const HERE = '\u0000';

/** Writes the copy as a page, record by record. It has no form: whoever switched the language there would lose it for an hour. */
export async function* copyToRead(copy: Copy): AsyncGenerator<string> {
  const { texts, batches, customer } = copy;
  const [before, behind] = framed(copy, texts.copied.title(customer.replaceAll(HERE, '')));
  yield before!;
  let type = '';
  for await (const batch of batches) {
    const heading = batch.type === type ? '' : renderToString(<h2>{texts.copied.types[batch.type]}</h2>);
    type = batch.type;
    const shown = batch.records.map((one) =>
      renderToString(<CopiedRecord copy={copy} record={recordOf(one)} />),
    );
    yield escapedInPage(heading + shown.join(''));
  }
  yield behind!;
}

/** The page before and behind what is copied. */
export function framed(copy: Copy<unknown>, title: string, lead = ''): (string | undefined)[] {
  const [before = '', behind] = renderToString(<Frame copy={copy} title={title} lead={lead} />).split(HERE);
  return [`<!doctype html>${before}`, behind].map((part) => part && escapedInPage(part));
}

function Frame({ copy, title, lead }: { copy: Copy<unknown>; title: string; lead: string }): VNode {
  const { texts, language, service, madeAt, zone } = copy;
  return (
    <Html language={language} title={`${title} – ${service}`}>
      <header>
        <p>{service}</p>
      </header>
      <main>
        <h1>{title}</h1>
        <p>
          {lead.replaceAll(HERE, '')} {texts.sharing.at(madeAt, zone)}
        </p>
        <div class="on-screen">
          <p class="note">{texts.copied.keep}</p>
        </div>
        {HERE}
        <div class="on-screen">
          <Links to={[[SHARING.copy, texts.goBack]]} />
        </div>
      </main>
    </Html>
  );
}

function CopiedRecord({ copy, record }: { copy: Copy; record: SentRecord }): VNode {
  const { texts, zone } = copy;
  // The number of a record with us says the same again.
  const said = Object.entries(record).filter(([name, value]) => name !== 'id' && isSaid(value));
  return (
    <section>
      <dl>
        {said.map(([name, value]) => (
          <>
            <dt>{labelOf(name, texts)}</dt>
            <dd>{inWords(name, value, texts, (text) => dayOrText(text, texts, zone))}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

/** A day or a moment as people write it. */
function dayOrText(text: string, { sharing }: Texts, zone: string | undefined): string {
  if (!(DAY.test(text) || INSTANT.test(text)) || Number.isNaN(Date.parse(text))) return text;
  return DAY.test(text) ? sharing.day(text) : sharing.at(new Date(text), zone);
}

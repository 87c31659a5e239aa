import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020';
import { CliError, EXIT } from '../cli-error';
import { parseJson } from '../parse-json';
import { whyNoAnswer, whyUnreachable } from '../service/why-unreachable';
import { serviceRefusal } from '../service/service-refusal';

// A line comes every ten thousand records.
const PATIENCE_MS = 120_000;
const LONGEST_LINE = 2 ** 20;

const text = Type.String();
const LINE = Type.Object({
  checked: Type.Record(text, Type.Integer({ minimum: 0 })),
  findings: Type.Optional(
    Type.Array(
      Type.Object({
        name: text,
        count: Type.Integer({ minimum: 1 }),
        examples: Type.Array(text),
        says: text,
        follows: text,
        mend: text,
      }),
    ),
  ),
});
type Line = Static<typeof LINE>;
const isLine = new Ajv2020().compile<Line>(LINE);

const ADVICE = {
  UNAUTHENTICATED: 'check GDX_TOKEN: it is the token of an ERP',
  NOT_FOUND: 'check the address of the service, and whether it is new enough',
  RATE_LIMITED: 'another check is in progress: run this again when it has ended',
};

/**
 * Has the service check the records of the token's company.
 * @param say called now and then with the numbers of checked records
 * @throws CliError
 */
export async function askCheck(
  { url, token }: { url: string; token: string },
  say: (checked: Line['checked']) => void,
): Promise<Required<Line>> {
  const { sendRequest, wholeOf, wordFor } = await import('../../outbound/send-request.js');
  const silent = new AbortController();
  const clock = setTimeout(() => silent.abort(), PATIENCE_MS);
  try {
    const headers = { authorization: token };
    const { status, body } = await sendRequest(`${url}/api/v1/check`, { headers, signal: silent.signal });
    if (status !== 200)
      throw serviceRefusal(
        { status, body: parseJson((await wholeOf(body, LONGEST_LINE)).toString()) },
        ADVICE,
      );
    for await (const text of linesOf(body as AsyncIterable<Buffer>)) {
      clock.refresh();
      const line = parseJson(text);
      if (!isLine(line))
        throw new CliError('the answer is not the result of a check', 'check the address of the service');
      if (line.findings) return line as Required<Line>;
      say(line.checked);
    }
  } catch (error) {
    throw error instanceof CliError
      ? error
      : (whyUnreachable(url, error) ?? brokenOff(whyNoAnswer(error, wordFor(error))));
  } finally {
    clearTimeout(clock);
  }
  throw brokenOff({ why: 'it has no findings' });
}

const brokenOff = ({ why, cure = 'check the address' }: ReturnType<typeof whyNoAnswer>) =>
  new CliError(`the check broke off: ${why}`, `${cure}; run it again`, EXIT.unavailable);

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      yield rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > LONGEST_LINE) return;
  }
}

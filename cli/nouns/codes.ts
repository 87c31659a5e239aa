import { timeNow } from '../../domain/time/elapsed';
import { type Command, InvalidArgumentError } from 'commander';
import { SHARING_CODES } from '../../store/codes/code-activity';
import { listPausedCodes, pauseCodes, resumeCodes } from '../../store/codes/paused-codes';
import type { Call, Envelope } from '../envelope';
import { parseText } from '../../client/parse-options';
import { channelNamed } from '../require-stored';

const SHARING = 'instead of a channel: those of /sharing';

export function codesCommands(codes: Command, { changes, reads }: Envelope): void {
  reads(
    codes.command('paused').description('whose codes are paused, since when and why'),
    async ({ store }) => {
      const data = (await listPausedCodes(await store())).map(({ _id, at, by, reason }) => ({
        codes: _id,
        ...{ at, by, reason }, // the server orders what it stores as it likes
      }));
      return { json: { data }, table: data, none: 'No codes are paused.' };
    },
  );
  changes(
    codes
      .command('pause')
      .description(
        'send and compare no codes of one channel’s links, or of /sharing, but in browsers that have entered one before',
      )
      .argument('[channel]', 'its slug')
      .option('--sharing', SHARING)
      .requiredOption('--reason <text>', 'why, for whoever looks next', parseText),
    async (call: Call, slug: string | undefined, { sharing, reason }: Whose & { reason: string }) => {
      const whose = await whoseCodes(call, slug, sharing);
      const pause = { by: call.asker.by, reason, at: timeNow() };
      await call.record({ channel: slug ?? null, about: whose, before: {} }, (store) =>
        pauseCodes(store, whose, pause),
      );
      return { facts: { codes: whose, paused: true } };
    },
  );
  changes(
    codes
      .command('resume')
      .description('send and compare codes again')
      .argument('[channel]', 'its slug')
      .option('--sharing', SHARING),
    async (call: Call, slug: string | undefined, { sharing }: Whose) => {
      const whose = await whoseCodes(call, slug, sharing);
      const before = await call.record({ channel: slug ?? null, about: whose, before: {} }, (store) =>
        resumeCodes(store, whose),
      );
      return { facts: { codes: whose, paused: false, was_paused: before } };
    },
  );
}

interface Whose {
  sharing?: true;
}

async function whoseCodes(call: Call, slug: string | undefined, sharing = false): Promise<string> {
  if (sharing === (slug !== undefined)) throw new InvalidArgumentError('Give either a channel or --sharing.');
  return slug === undefined ? SHARING_CODES : (await channelNamed(call, slug))._id;
}

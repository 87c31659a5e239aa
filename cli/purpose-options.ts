import { type Command, InvalidArgumentError } from 'commander';
import { isLanguage, type Language, LANGUAGES } from '../domain/text/language';
import type { Channel, Purpose } from '../store/channels/channels';
import { UsageError } from '../client/cli-error';
import { collect, parseText } from '../client/parse-options';

export interface PurposeOptions {
  purpose?: Partial<Purpose>;
  passesOn?: string[];
}

/** The options for the purpose and the recipients that farmers read. */
export const purposeOptions = (command: Command): Command =>
  command
    .option(
      '--purpose <language=text>',
      `what the customer gets farmers’ records for, in two plain sentences; once for each of ${LANGUAGES.join(', ')}`,
      collectPurpose,
    )
    .option(
      '--passes-on <name|nobody>',
      'to whom the customer may pass them on; repeatable, replaces all',
      collectNames,
    );

function collectPurpose(text: string, before: Partial<Purpose> = {}): Partial<Purpose> {
  const [, language, said = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (!isLanguage(language))
    throw new InvalidArgumentError(`Write it like en=..., for each of ${LANGUAGES.join(', ')}.`);
  if (before[language] !== undefined) throw new InvalidArgumentError(`${language} is given twice.`);
  return { ...before, [language]: parseText(said) };
}

const collectNames = (text: string, before: string[] = []): string[] =>
  text === 'nobody' ? before : collect(parseText(text), before);

/**
 * The purpose and the recipients, if they were given.
 * @throws CliError when a language of the purpose is missing
 */
export function purposeOf({ purpose, passesOn }: PurposeOptions): Pick<Channel, 'purpose' | 'passes_on'> {
  const missing = purpose ? LANGUAGES.filter((language) => purpose[language] === undefined) : [];
  if (missing.length > 0)
    throw new UsageError(
      `--purpose has no ${missing.join(', ')}`,
      `add ${missing.map((language: Language) => `--purpose ${language}=...`).join(' ')}`,
    );
  return {
    ...(purpose && { purpose: purpose as Purpose }),
    ...(passesOn && { passes_on: passesOn }),
  };
}

/** @throws CliError when farmers could not read what the customer does with their records */
export function requirePurpose({
  scope,
  purpose,
  passes_on,
}: Pick<Channel, 'scope' | 'purpose' | 'passes_on'>): void {
  if (scope === 'all' || (purpose && passes_on)) return;
  throw new UsageError(
    `farmers have to read what the customer gets their records for${purpose ? ', and to whom it may pass them on' : ''}`,
    'say --purpose en=... --purpose es=... and --passes-on <name>, or --passes-on nobody',
  );
}

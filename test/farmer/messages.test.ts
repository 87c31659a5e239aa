import { messageOf } from '../../api/farmer/message-of';
import { nameInMessage } from '../../api/farmer/sms/name-in-message';
import { plainForText } from '../../api/farmer/sms/plain-for-text';
import { readConfig } from '../../config';
import { LANGUAGES } from '../../domain/language';
import type { Channel } from '../../store/feed/channels';

const SETTINGS = { ...readConfig({}), publicUrl: 'https://farmers.grain-data-exchange.example' };
const said = (name: string, via: 'text' | 'call' = 'text', language: 'en' | 'es' = 'en') =>
  messageOf({ via, code: '012345', language }, { _id: 'acme', name } as Channel, SETTINGS);

test('a text: the code first, who asked, never to pass it on, and the line that binds it to this site', () => {
  expect(said('Acme Crop Insurance')).toBe(
    '012345 is your Grain Data Exchange security code. Acme Crop Insurance asked for it. Never give it to anyone, whoever calls or writes. Who sees your data: https://farmers.grain-data-exchange.example/sharing\n\n@farmers.grain-data-exchange.example #012345',
  );
  expect(said('Aseguradora Ñandú', 'text', 'es')).toBe(
    '012345 es su codigo de seguridad de Grain Data Exchange. Lo pidio Aseguradora Ñandu. No se lo dé a nadie, aunque le llamen o le escriban. Quién ve sus datos: https://farmers.grain-data-exchange.example/sharing\n\n@farmers.grain-data-exchange.example #012345',
  );
});

test('a call reads the digits one by one, twice', () => {
  for (const language of LANGUAGES)
    expect(said('Acme', 'call', language).match(/0, 1, 2, 3, 4, 5\./g)).toHaveLength(2);
});

test.each(LANGUAGES)('%s: two parts at most, of characters that every phone has', (language) => {
  const text = said('W'.repeat(200), 'text', language);
  expect(text.length).toBeLessThanOrEqual(306);
  expect(plainForText(text)).toBe(text);
});

test.each([
  ['Acme\nCrop\u202e Insurance', 'Acme Crop Insurance'],
  ['win.example.com', 'win example com'],
  ['https://win.example/x?y=1', 'https win example x y 1'],
  ['Acme @evil.example #999999', 'Acme evil example 999999'],
  ['Smith & Sons, Inc. (Fargo)', 'Smith & Sons, Inc. (Fargo)'],
  [`${'Very '.repeat(12)}Long`, 'Very Very Very Very Very Very Very Very...'],
])('the name %j is written %j', (name, written) => expect(nameInMessage(name)).toBe(written));

test('a name of which nothing is left is the channel’s', () =>
  expect(said('保險')).toContain('code. acme asked for it'));

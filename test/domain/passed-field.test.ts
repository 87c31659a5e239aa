import { readPassedField } from '../../domain/records/passed-field';

test.each([
  ['tickets.our_note', { type: 'tickets', list: undefined, name: 'our_note' }],
  ['tickets.splits.Our Note', { type: 'tickets', list: 'splits', name: 'Our Note' }],
  ['accounts.phones.label', { type: 'accounts', list: 'phones', name: 'label' }],
  ['elevators.bins', { type: 'elevators', list: undefined, name: 'bins' }],
  ['tickets.amount', { type: 'tickets', list: undefined, name: 'amount' }], // a field of a settlement's lines
  ['tickets.constructor', { type: 'tickets', list: undefined, name: 'constructor' }],
])('%s can be declared', (text, field) => expect(readPassedField(text)).toEqual(field));

test.each([
  ['our_note', /^Use a type and a name/],
  ['tickets.', /^Use a type and a name/],
  ['ticket.our_note', /^Use a type and a name/],
  ['constructor.our_note', /^Use a type and a name/],
  ['tickets.a.b.c', /^Use a type and a name/],
  ['tickets.our\u0007note', /^Use a type and a name/],
  [`tickets.${'x'.repeat(129)}`, /^Use a type and a name/],
  ['tickets.landlord.since', /knows no list/],
  ['tickets.grade.since', /knows no list/],
  ['tickets.constructor.since', /knows no list/],
  ['tickets.net_weight', /sends it anyway/],
  ['tickets.splits.disposition', /sends it anyway/],
  ['tickets.account', /feed itself gives/],
  ['tickets.splits.account_id', /feed itself gives/],
  ['accounts.contract_id', /feed itself gives/],
  ['tickets.source_updated_at', /feed itself gives/],
])('%s cannot', (text, problem) => expect(readPassedField(text)).toMatch(problem));

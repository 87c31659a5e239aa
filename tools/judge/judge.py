#!/usr/bin/env python3
"""Says whether what ERPs, customers and farmers saw of a run is what docs/contract.md promises (C1, C4, C6, C7, C10, C18, C32, E2, E7, E8, and
of sharing F7, F9, F10, F21). Each file is a history: NDJSON, an event a line, with `event`, `begin` and `end` (milliseconds since 1970, by one
clock) and what FIELDS names, raw as it was seen; `status` is that of the answer, null where none came. README.md tells the rest."""
import argparse, base64, hmac, json, re, sys
from collections import defaultdict
from datetime import datetime, timezone
from pathlib import Path

KINDS = {'accounts': 'account', 'contracts': 'contract', 'tickets': 'ticket', 'settlements': 'settlement'}
REFERENCES = ('account', 'contract', 'elevator', 'ticket', 'settlement', 'replaces_ticket')
CLOCK = 50  # ms at most between the moment in updated_at and the times of its push
TRANSIT = 2000  # ms at most from the begin of a page's request to its arrival
UNKNOWN = 60_000  # ms after which a request without an answer does nothing more (E11)
PASSING = (425, 429)  # the customer asks for time: sets no record aside
INSTANT = re.compile(r'\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)')
FIELDS = {  # what else an event has; README.md also tells what it may have
    'push': 'company headers body status', 'page': 'channel headers body status', 'reset': 'channel entity_type body status',
    'grant': 'channel account status', 'revoke': 'channel account status', 'pass-field': 'company field status',
    'withdraw-field': 'company field status', 'channel': 'channel scope companies', 'secret': 'channel secret', 'clock': 'off', 'end': ''}
OWN = ('id', 'remote_id', 'company', 'created_at', 'updated_at')  # of the service, in a record of the feed
MALFORMED = (ValueError, LookupError, TypeError, AttributeError)
done = lambda event: event['status'] is not None and 200 <= event['status'] < 400
milliseconds = lambda text: datetime.fromisoformat(text.upper().replace('Z', '+00:00')).timestamp() * 1000
iso = lambda ms: datetime.fromtimestamp(ms / 1000, timezone.utc).isoformat(timespec='milliseconds')[:-6] + 'Z'

class Unreadable(Exception): """Input that is no history."""

def known_fields():
    """Of each kind of record the paths that docs/records.md lists, with references named as in the feed."""
    known, kind = defaultdict(lambda: {'source_updated_at'}), None
    for line in (Path(__file__).parents[2] / 'docs/records.md').read_text('utf-8').splitlines():
        if line.startswith('## '):
            kind = line[3:].strip().lower()
        elif found := re.match(r'\| \**`([^`]+)`\** \|', line):
            path = found[1].replace('[]', '')
            known[kind].add(path[:-3] if path.endswith('_id') and path.split('.')[-1][:-3] in REFERENCES else path)
    return known

def plain(value, company, name='', empty=(None, '', {})):
    """What all renderings of a content have in common: nothing `empty`, references by id, instants by time, phones by digits."""
    if isinstance(value, dict):
        pairs = {}
        for key, item in value.items():
            if key.endswith('_id') and key[:-3] in REFERENCES and isinstance(item, str) and item:
                key, item = key[:-3], f'{company}-{item}'
            pairs[key] = plain(item.get('id') if key in REFERENCES and isinstance(item, dict) else item, company, key, empty)
        return {k: v for k, v in pairs.items() if v not in (None, '', {}) and (v != [] or k == 'phones')}
    if isinstance(value, list):
        return [v for v in (plain(item, company, name, empty) for item in value) if v not in empty]
    if isinstance(value, str):
        return ('instant', milliseconds(value)) if INSTANT.fullmatch(value) else re.sub(r'\D', '', value) if name == 'phone' else value
    return str(value) if isinstance(value, bool) else value

def named(value):
    """The accounts that are named anywhere in a content."""
    if isinstance(value, dict):
        return {a for key, item in value.items() for a in ([item] if key == 'account' and isinstance(item, str) else named(item))}
    return {a for item in value for a in named(item)} if isinstance(value, list) else set()

def holds(moves, how, since, until):
    """Whether a permission stood `surely` or `possibly`, by its (begin, end, acknowledged, on, until): a grant, a declared field."""
    last = [m for m in moves if m[0] <= until and not any(o[2] and o[0] >= m[1] and o[1] < since for o in moves)]
    return any(m[3] and m[4] > since for m in last) and (
        how == 'possibly' or all(m[3] and m[4] > until for m in last) and any(m[2] and m[1] < since for m in last))

class Push:
    """All requests of an integration under one request id with one body: stored once, or not at all."""
    def __init__(self, tries):
        self.tries, self.proven = tries, False  # proven: seen to be stored, whatever was answered
        stored = [t['end'] for t in tries if t['status'] == 204]
        self.begin, self.acknowledged = min(t['begin'] for t in tries), bool(stored)
        self.refused = all(t['status'] is not None and 400 <= t['status'] < 500 for t in tries)
        self.end = min(stored) if stored else max(max(t['end'] for t in tries), self.begin + UNKNOWN)
        self.name = f'push {tries[0]["headers"].get("x-request-id", "without id")} of {iso(self.begin)}'

class Content:
    """A pushed record as the feed has to show it, but for what it keeps of the record that is stored."""
    def __init__(self, company, kind, pushed, before=None):
        given = {'phones': pushed['phones'] or []} if kind == 'account' and 'phones' in pushed else {}
        own = ('id', 'created_at', 'updated_at', 'deleted') + (('phones', 'remote_id', 'company') if kind == 'account' else ())
        shown = {**{k: v for k, v in pushed.items() if k not in own}, **given, 'source_updated_at': pushed.get('updated_at')}
        deleted, shown = pushed.get('deleted') is True, plain(shown, company)
        self.bare = deleted and not shown  # only deleted: all else stays as it is stored
        if before and self.bare:
            shown, self.bare = dict(before.shown), before.bare
        elif before and 'phones' in before.shown:
            shown.setdefault('phones', before.shown['phones'])
        self.shown, self.kept = shown, {'phones'} if kind == 'account' and 'phones' not in shown else set()
        self.deleted_then = deleted and 'deleted_at' not in shown  # at a time that only the service knows

    def is_seen_as(self, seen, fits):
        kept = self.kept | ({'deleted_at'} if self.deleted_then else set())
        return ('deleted_at' in seen or not self.deleted_then) and (
            self.bare or fits(*({k: v for k, v in side.items() if k not in kept} for side in (self.shown, seen))))

class Seen:
    """One record on one page."""
    def __init__(self, page, key, record, alone, empty):
        self.page, self.key, self.alone, self.sources, self.text = page, key, alone, [], str(record.get('updated_at'))
        self.updated = milliseconds(self.text) if re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z', self.text) else None
        self.content = plain({k: v for k, v in record.items() if k not in OWN}, key[0], '', empty)
        self.gone = set(record) <= {'id', 'remote_id', 'company', 'updated_at', 'deleted_at'} and record.get('deleted_at') is not None
        self.accounts = {record['id']} if key[1] == 'account' else named(self.content)

class Judge:
    def __init__(self):
        self.breaks, self.known, self.events, self.pushes, self.repeated, self.late = [], known_fields(), defaultdict(list), 0, 0, 0
        self.records = defaultdict(list)  # (company, kind, remote id) -> [(push, content)]
        self.first_of, self.lanes = {}, defaultdict(list)  # id or bytes -> page; (channel, kind) -> [Seen], in the order of arrival
        self.seen = defaultdict(list)  # (channel, record) -> [Seen]
        self.shares = defaultdict(lambda: defaultdict(list))  # (channel, account) -> (farmer, partner) -> moves of `holds`
        self.declared = defaultdict(list)  # (company, field) -> moves
        self.said, self.words = defaultdict(list), 0  # (company, kind, day) -> pushes that said it; how many were on pages

    def say(self, promise, text, record=None, channel=None, times=()):
        self.breaks.append({'promise': promise, 'channel': channel, 'record': record and f'{record[1]} {record[0]}-{record[2]}',
                            'times': list(map(iso, times)), 'text': text})

    def read(self, lines, where):
        for number, line in enumerate(lines, 1):
            try:
                event = json.loads(line)
                event.setdefault('end', event['begin'])
                if (missing := [f for f in FIELDS[event['event']].split() if f not in event]) or event['end'] < event['begin']:
                    raise ValueError(f'lacks {", ".join(missing)}' if missing else 'ends before it begins')
                event['raw'] = event.get('body', '').encode()
                if event['event'] == 'reset' and done(event):
                    event['since'] = milliseconds(json.loads(event['raw'])['timestamp'])
                if event['event'] == 'page':
                    event['headers'] = {k.lower(): str(v).strip() for k, v in event['headers'].items()}
                    event['id'], stamp = event['headers'].get('webhook-id'), event['headers'].get('webhook-timestamp', '')
                    event['stamp'] = int(stamp) * 1000 if stamp.isdigit() else event['begin']
                    event['not_before'] = min(max(event['stamp'], event['begin'] - TRANSIT), event['begin'])
                    event['ok'] = event['status'] in range(200, 300)
                self.events[event['event']].append(event)
            except MALFORMED as problem:
                raise Unreadable(f'{where}:{number}: {type(problem).__name__}: {problem}')

    def arrange(self, where):
        for events in self.events.values():
            events.sort(key=lambda e: e['begin'])
        self.channels = {e['channel']: e for e in self.events['channel']}
        self.subscribed = lambda channel: self.channels[channel]['scope'] == 'subscribed'
        self.clock = CLOCK + max((abs(e['off']) for e in self.events['clock']), default=0)
        self.pages = [p for p in self.events['page'] if not str(p['id']).startswith('test_')]
        if not self.events['end'] or {p['channel'] for p in self.pages} - self.channels.keys():
            raise Unreadable(f'{where}: breaks off without an event "end", or has pages of a channel without an event "channel"')
        moves = [e for name in ('grant', 'revoke', 'pass-field', 'withdraw-field') for e in self.events[name]]
        for event in (e for e in moves if e['status'] is None or not 400 <= e['status'] < 500):
            self.permit(event, event['event'] in ('grant', 'pass-field'))

    def permit(self, event, on):
        end = event['end'] if done(event) else max(event['end'], event['begin'] + UNKNOWN)
        move = (event['begin'], end, done(event), on, milliseconds(event['ends_at']) if event.get('ends_at') else float('inf'))
        if 'field' in event:
            return self.declared[str(event['company']), event['field']].append(move)
        by, shares = (event.get('farmer'), event.get('partner_id')), self.shares[event['channel'], event['account']]
        for key in [by] if on else [k for k in shares if by[0] in (None, k[0]) and by[1] in (None, k[1])]:  # grants were read before
            shares[key].append(move)

    def judge_pushes(self):
        alike, by_id = defaultdict(list), defaultdict(list)
        for number, event in enumerate(self.events['push']):
            name = (str(event['company']), event.get('integration'), event['headers'].get('x-request-id') or number)
            alike[name, event['raw']].append(event)
        for (name, _), tries in alike.items():
            push, records = Push(tries), {}
            by_id[name].append(push)
            self.pushes += 1
            try:
                for command, payload in (pair for commands in json.loads(push.tries[0]['raw'])['data'] for pair in commands.items()):
                    kind = KINDS.get(command.removeprefix('update-'))
                    if kind and 'complete_through' in payload:
                        self.said[name[0], kind, payload['complete_through']].append(push)
                    for record in payload[f'{kind}s'] if kind else []:
                        key = (name[0], kind, record['id'])
                        records[key] = Content(name[0], kind, record, records.get(key))
            except MALFORMED:
                continue  # no push; whatever comes of it, nobody pushed
            for key, content in records.items():
                self.records[key].append((push, content))
        for push, t, group in ((push, t, group) for group in by_id.values() for push in group for t in push.tries):
            reused, times = t['status'] == 422 and 'REQUEST_ID_REUSED' in t.get('answer', ''), [t['begin'], t['end']]
            if t['status'] == 204 and any(o is not push and o.acknowledged and o.begin <= push.begin for o in group):
                self.say('E8', f'{push.name} was answered 204, and so was another body under its request id', times=times)
            if reused and len(group) == 1 or t['status'] in (400, 409, 422) and push.acknowledged and push.end < t['begin']:
                self.say('E8', f'{push.name} came again with the same body and was answered {t["status"]}', times=times)

    def judge_versions(self):
        """The versions of a record that any customer saw, beside the pushes of it."""
        versions = defaultdict(lambda: defaultdict(list))
        for seen in (seen for lane in self.lanes.values() for seen in lane if seen.sources):
            versions[seen.key][seen.updated].append(seen)
        for key, of_record in versions.items():
            before = None
            for moment in sorted(of_record):
                whole = [s for s in of_record[moment] if not self.subscribed(s.page['channel'])]
                if any(s.content != whole[0].content for s in whole):
                    self.say('C4', f'two contents have the updated_at {iso(moment)}', key, whole[0].page['channel'], [moment])
                between = [c for p, c in self.records[key] if not p.refused and p.begin - self.clock <= moment and p.end + self.clock >= (before or 0)]
                if before and between and all(vars(c) == vars(between[0]) for c in between):
                    self.say('E7', f'changed from {iso(before)} to {iso(moment)}, and only equal content was pushed', key, None, [before, moment])
                before = moment

    def judge_page(self, page):
        headers, channel, kind = page['headers'], page['channel'], page['headers'].get('x-entity-type')
        wrong = [f'has no {h}' for h in ('x-entity-type', 'x-delivery-id', 'x-request-id') if not headers.get(h)]
        wrong += ['names another channel'] if headers.get('x-channel-slug') != channel else []
        wrong += ['names another time'] if abs(page['stamp'] - page['begin']) > 300_000 + self.clock else []
        wrong += [] if self.is_signed(page) else ['is not signed with the secret of its channel (v1) and with a public key (v1a)']
        same_id = self.first_of.setdefault((channel, page['id']), page)
        same_bytes = self.first_of.get((channel, kind, page['raw']), page)
        sent_for = any(e['channel'] == channel and e['begin'] <= page['begin'] and e['end'] + UNKNOWN >= same_bytes['begin']
                       for name in ('reset', 'grant') for e in self.events[name])
        wrong += ['has the id of another page'] if same_id['raw'] != page['raw'] else []
        wrong += [f'has the bytes of {same_bytes["id"]}, and another id'] if same_bytes['id'] != page['id'] and not sent_for else []
        self.first_of[channel, kind, page['raw']] = page
        self.repeated += same_id is not page and same_id['ok'] and page['ok']
        try:
            body = json.loads(page['raw'])
            data, page['words'] = body['data'], dict(body.get('erp_complete_through', {}))
            for ((wrapper, record),) in map(dict.items, data):
                wrong += [f'holds a {wrapper}'] if KINDS.get(kind) != wrapper else []
                self.judge_shown(page, wrapper, record, len(data) == 1)
        except MALFORMED as problem:
            wrong.append(f'has another form ({type(problem).__name__}: {problem})')
        if wrong:
            self.say('C6', f'page {page["id"]} {", ".join(wrong)}', None, channel, [page['begin']])

    def is_signed(self, page):
        given = [tuple(s.split(',', 1)) for s in page['headers'].get('webhook-signature', '').split()]
        signed = f'{page["id"]}.{page["headers"].get("webhook-timestamp")}.'.encode() + page['raw']
        keys = [base64.b64decode(e['secret'].removeprefix('whsec_')) for e in self.events['secret']
                if e['channel'] == page['channel'] and e['begin'] <= page['begin']]
        return any(('v1', base64.b64encode(hmac.digest(k, signed, 'sha256')).decode()) in given for k in keys) and any(
            s[0] == 'v1a' and len(base64.b64decode(s[-1])) == 64 for s in given)

    def judge_shown(self, page, kind, record, alone):
        key, channel, at = (str(record['company']['id']), kind, record['remote_id']), page['channel'], [page['begin']]
        seen = Seen(page, key, record, alone, ('', {}) if self.subscribed(channel) else (None, '', {}))
        self.seen[channel, key].append(seen)
        self.lanes[channel, kind].append(seen)
        if self.subscribed(channel):
            self.judge_sharing(seen)
        if seen.updated is None:
            return self.say('C4', f'has the updated_at {seen.text}', key, channel, at)
        fits, at = self.fits(seen), [seen.updated, *at]
        is_like = lambda content: self.subscribed(channel) and seen.gone or content.is_seen_as(seen.content, fits)
        seen.sources = [p for p, c in self.records[key] if not p.refused and p.begin - self.clock <= seen.updated <= p.end + self.clock and is_like(c)]
        like = [p for p, c in self.records[key] if is_like(c)] if not seen.sources else []
        stored = [p for p in like if not p.refused]
        if seen.sources:
            seen.sources[0].proven |= len(seen.sources) == 1
        elif not like:
            self.say('C18' if self.subscribed(channel) else 'C1', f'came with content that nobody pushed, as of {seen.text}', key, channel, at)
        elif not stored:
            self.say('E2', f'came as in {like[0].name}, which was refused with {like[0].tries[0]["status"]}', key, channel, at)
        else:
            again = [p for p in stored for t in p.tries if t['begin'] - self.clock <= seen.updated <= t['end'] + self.clock]
            self.say('E8' if again else 'C4', f'changed at {seen.text}, which is not when {(again or stored)[0].name} was stored'
                     + (' but when it was repeated' if again else ''), key, channel, at)

    def shared(self, channel, accounts, how, since, until):
        return {a for a in accounts if any(holds(moves, how, since, until) for moves in self.shares[channel, a].values())}

    def judge_sharing(self, seen):
        page, channel, kind = seen.page, seen.page['channel'], seen.key[1]
        once = {a for _, c in self.records[seen.key] for a in named(c.shown)}  # one that is gone is told to those who had it
        accounts = once if seen.gone and kind != 'account' else seen.accounts
        may = self.shared(channel, accounts, 'possibly', page['not_before'], page['begin'])
        moves = [m for a in accounts for share in self.shares[channel, a].values() for m in share if m[0] <= page['begin']]
        if not may:
            promise = 'F7' if not moves else 'F21' if any(m[3] and m[4] <= page['not_before'] for m in moves) else 'F10'
            self.say(promise, f'was sent while none of its accounts ({", ".join(sorted(accounts)) or "it names none"}) was shared',
                     seen.key, channel, [page['begin'], *(m[1] for m in moves)])
        elif accounts - may and not seen.gone:
            self.say('C18', f'names {", ".join(sorted(accounts - may))}, not shared with the channel', seen.key, channel, [page['begin']])
        for path in self.unknown_paths(seen.content, kind):
            if not holds(self.declared[seen.key[0], f'{kind}s.{path}'], 'possibly', page['not_before'], page['begin']):
                self.say('C18', f'has the field {path}, which is not declared', seen.key, channel, [page['begin']])

    def is_unknown(self, path, kind):
        known, parent = self.known[kind], path.rpartition('.')[0]
        return path not in known and (not parent or any(k.startswith(parent + '.') for k in known))

    def unknown_paths(self, value, kind, path=''):
        below = [(path, v) for v in value] if isinstance(value, list) else [
            (f'{path}.{k}'.lstrip('.'), v) for k, v in value.items()] if isinstance(value, dict) else []
        return {p for b, v in below for p in ([b] if b != path and self.is_unknown(b, kind) else self.unknown_paths(v, kind, b))}

    def fits(self, seen):
        """Tells whether a pushed content may be shown as it was seen."""
        channel, kind, moments = seen.page['channel'], seen.key[1], (seen.page['not_before'], seen.page['end'])
        hidden = lambda account: not self.shared(channel, [account], 'surely', *moments)
        def fits(pushed, shown, path=''):
            if isinstance(pushed, dict) and isinstance(shown, dict):
                below = {key: f'{path}.{key}'.lstrip('.') for key in pushed.keys() | shown.keys()}
                return all(self.is_unknown(b, kind) or key == 'account' and shown.get(key) is None and hidden(pushed[key])
                           or fits(pushed.get(key), shown.get(key), b) for key, b in below.items())
            if isinstance(pushed, list) and isinstance(shown, list):
                return len(pushed) == len(shown) and all(
                    any(map(hidden, named(p))) if s is None else fits(p, s, path) for p, s in zip(pushed, shown))
            return pushed == shown
        return fits if self.subscribed(channel) else dict.__eq__

    def set_aside(self, all_seen, since):
        """When the customer last refused a record, in a version of `since` or later, that may be set aside: a version of it was refused alone
        twice, and another record of its type was confirmed in between; None if there is none."""
        failed = [s for s in all_seen if not s.page['ok'] and s.updated is not None and s.updated >= since and s.page['status'] not in PASSING]
        alone = [s for s in failed if s.alone]
        if any(self.confirms_another(one, two) for one in alone for two in alone if one.updated == two.updated and one.page['end'] <= two.page['begin']):
            return max(s.page['end'] for s in failed)

    def confirms_another(self, one, two):
        lane = self.lanes[one.page['channel'], one.key[1]]
        return any(s.page['ok'] and s.key != one.key and one.page['begin'] <= s.page['end'] and s.page['begin'] <= two.page['end'] for s in lane)

    def judge_lane(self, channel, lane):
        """Of two changes the one that was surely stored first is confirmed first."""
        ahead, first, confirmed, failing, before = None, {}, set(), False, None
        for seen, page, version in ((s, s.page, (s.key, s.updated)) for s in lane):
            first.setdefault(version, page['begin'])
            if page is not before:
                failing, before = before is not None and not before['ok'], page
            if not page['ok'] or not seen.sources or version in confirmed:
                continue
            confirmed.add(version)
            self.late += (late := page['begin'] - page['stamp'] > TRANSIT + 1000 + self.clock)  # from a frozen sender: the guide tells of it
            if late or page['headers'].get('x-delivery-id', '').endswith('/catch-up'):
                continue
            begun, stored = min(p.begin for p in seen.sources), max(p.end for p in seen.sources)
            steady = not self.subscribed(channel) or self.shared(channel, seen.accounts, 'surely', begun, page['end'])
            if ahead and ahead[0] > stored and steady and self.set_aside(self.seen[channel, seen.key], seen.updated) is None:
                self.say('C7' if first[version] < ahead[3] else 'C1', f'was not confirmed before {" ".join(ahead[1])}, which was stored later',
                         seen.key, channel, [ahead[2], page['begin']])
            if (not ahead or begun > ahead[0]) and not (seen.alone and failing):  # behind a refusal, a record may come ahead by itself
                ahead = (begun, seen.key, page['begin'], first[version])

    def judge_words(self):
        """Whoever confirms a page with the word of a company's ERP has all of the page's type that was pushed with it or before."""
        for page, (company, day) in ((p, word) for p in self.pages if p['ok'] for word in p.get('words', {}).items()):
            channel, kind, at, carried = page['channel'], KINDS.get(page['headers'].get('x-entity-type')), [page['begin']], \
                self.channels[page['channel']]['companies']
            said = [p for p in self.said[company, kind, day] if not p.refused and p.begin <= page['begin']]
            missing = [self.missing_of(page, company, kind, word) for word in said]
            self.words += 1
            if carried is not None and company not in map(str, carried):
                self.say('C32', f'a page names company {company}, which the channel does not carry', None, channel, at)
            elif not said:
                self.say('C32', f'a page has the word {day} of company {company}, which no ERP of it had said of its {kind}s', None, channel, at)
            elif all(missing) and page['begin'] - page['stamp'] <= TRANSIT + 1000 + self.clock:
                key, push = missing[0]
                self.say('C32', f'a page has the word {day}, and {push.name} before it is not confirmed', key, channel, [push.begin, *at])

    def missing_of(self, page, company, kind, word):
        """What was pushed with a word or surely before it, and is not confirmed with the page."""
        channel, resets = page['channel'], [e for e in self.events['reset'] if e['channel'] == page['channel'] and done(e)
                                            and e['entity_type'] == f'{kind}s' and e['end'] < page['not_before']]
        lost = lambda s: any(s.updated > e['since'] + self.clock and s.page['end'] < e['begin'] for e in resets)
        for key, pushes in self.records.items():
            have = [s for s in self.seen.get((channel, key), []) if s.page['ok'] and s.page['begin'] <= page['begin'] and s.updated and not lost(s)] \
                if key[:2] == (company, kind) else []
            for push, content in pushes if key[:2] == (company, kind) else []:
                surely = push is word or push.acknowledged and push.end < word.begin
                arrived = any(s.updated >= push.begin - self.clock or content.is_seen_as(s.content, self.fits(s)) for s in have)
                bare = content.bare and not any(q.acknowledged and q.end < push.begin and not d.bare for q, d in pushes)
                replaced = self.subscribed(channel) and any(q is not push and not q.refused and push.begin <= q.begin <= page['end'] for q, _ in pushes)
                if surely and not arrived and not bare and not replaced and self.promise_of_arrival(
                        channel, key, push, content, pushes, page['not_before']):
                    return key, push

    def judge_arrival(self):
        for end, name in ((end, name) for end in self.events['end'] for name in end.get('channels') or self.channels):
            companies, types = self.channels[name]['companies'], self.channels[name].get('entity_types') or KINDS
            for key, pushes in self.records.items():
                if (companies is None or key[0] in map(str, companies)) and f'{key[1]}s' in types:
                    self.judge_record(name, key, [(p, c) for p, c in pushes if p.proven or p.acknowledged and p.end < end['begin']], end['begin'])

    def judge_record(self, name, key, pushes, end):
        all_seen = self.seen.get((name, key), [])
        have = max((s for s in all_seen if s.page['ok'] and s.updated is not None), key=lambda s: s.updated, default=None)
        for push, content in pushes if all(s.updated is not None for s in all_seen) else []:
            there = any(q.acknowledged and q.end < push.begin and not d.bare for q, d in pushes)
            replaced = self.subscribed(name) and any(q.acknowledged and q.begin >= push.end for q, _ in pushes)
            promise = self.promise_of_arrival(name, key, push, content, pushes, end)
            arrived = have and (have.updated >= push.begin - self.clock or content.is_seen_as(have.content, self.fits(have)))
            if not promise or arrived or replaced or content.bare and not there:
                continue
            versions = [s.updated for s in all_seen if s.updated >= push.begin - self.clock]
            aside = self.set_aside(all_seen, push.begin - self.clock)
            again = [e for e in self.events['reset'] if e['channel'] == name and e['entity_type'] == f'{key[1]}s' and done(e)]
            if aside is None or any(e['begin'] > aside and e['since'] <= max(versions) for e in again):
                refused = self.set_aside(all_seen, 0) or promise == 'C1' and any(
                    c == name and k[1] == key[1] and s[-1].page['end'] == self.set_aside(s, 0) for (c, k), s in self.seen.items())
                return self.say('C10' if refused else 'C7' if promise == 'C1' and versions else promise, f'{push.name} was '
                                f'{"acknowledged" if push.acknowledged else "stored"} and never confirmed; the customer has '
                                f'{have.text if have else "nothing"}', key, name, [push.begin, push.end])

    def promise_of_arrival(self, name, key, push, content, pushes, end):
        """By which promise the content has to be with the customer; None where it has not."""
        shared = lambda c, when: self.shared(name, [f'{key[0]}-{key[2]}'] if key[1] == 'account' else named(c.shown), 'surely', when, end)
        if not self.subscribed(name) or shared(content, push.begin):
            return 'C1' if push.acknowledged else 'E2'
        corrected = any(q.acknowledged and q.end < push.begin and shared(c, q.begin) for q, c in pushes)
        return 'F9' if shared(content, end) else 'C18' if corrected else None

    def judge(self, where):
        self.arrange(where)
        self.judge_pushes()
        for page in self.pages:
            self.judge_page(page)
        self.judge_versions()
        for (channel, _), lane in self.lanes.items():
            self.judge_lane(channel, lane)
        self.judge_words()
        self.judge_arrival()
        return {'history': where, 'pushes': self.pushes, 'records': len(self.records), 'channels': len(self.channels),
                'pages': len(self.pages), 'repeated': self.repeated, 'late': self.late, 'words': self.words, 'broken': sorted({b['promise'] for b in self.breaks})}

def main():
    options = argparse.ArgumentParser(description='Says whether each history is what docs/contract.md promises.')
    options.add_argument('history', nargs='+', help='NDJSON, or - for standard input')
    options.add_argument('--json', action='store_true', help='a JSON document for each history')
    given, worst = options.parse_args(), 0
    for name in given.history:
        judge = Judge()
        try:
            with sys.stdin.buffer if name == '-' else open(name, 'rb') as lines:
                judge.read(lines, name)
            told = judge.judge(name)
            worst = max(worst, bool(judge.breaks))
            for b in [] if given.json else judge.breaks:
                print(f'{b["promise"]}: {", ".join(filter(None, [b["channel"], b["record"]]))}: {b["text"]} ({", ".join(b["times"])})')
            verdict = f'rejected by {" ".join(told["broken"])}' if judge.breaks else 'accepted'
            print(json.dumps({**told, 'breaks': judge.breaks}) if given.json else f'{name}: {verdict}: ' + ', '.join(
                f'{n} {k}' for k, n in told.items() if isinstance(n, int)))
        except (Unreadable, OSError) as problem:
            worst = 2
            print(f'judge: {problem}', file=sys.stderr)
    sys.exit(worst)

if __name__ == '__main__':
    main()

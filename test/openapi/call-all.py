import json
import os
from hashlib import sha256

from service import Client
from service.api.deliveries import list_deliveries
from service.api.digest import compare_digest, get_digest, resend_records
from service.api.elevators import list_elevators
from service.api.feed import confirm_page, get_page
from service.api.markers import list_markers, reset_marker
from service.api.production import get_production
from service.api.push import get_check, get_push, get_records, push
from service.api.sharing import confirm_deletion, list_subscriptions
from service import models as m


def client_of(token):
    told = {"response": [lambda answer: print(answer.request.method, answer.request.url.path, answer.status_code)]}
    return Client(os.environ["GDX_URL"], headers={"Authorization": os.environ[token]}, httpx_args={"event_hooks": told})


def say(truth):
    print(str(truth).lower())


ERP, CUSTOMER = client_of("GDX_ERP"), client_of("GDX_CUSTOMER")
BODY = m.Push.from_dict({"data": [
    {"update-elevators": {"elevators": [{"id": "7", "name": "Casselton"}]}},
    {"update-accounts": {"accounts": [{"id": "1001", "name": "Meyer Farms", "phones": [{"phone": "7015550142"}]}]}},
    {"update-tickets": {"tickets": [{"id": "T-1", "account_id": "1001", "elevator_id": "7", "net_weight": 52340, "weight_uom": "lb"}]}},
    {"update-tickets": {"tickets": [{"id": "T-2", "splits": [{"account_id": "1001", "split_percent": "100"}]}, {"id": "T-3", "deleted": True}]}},
]})
say(push.sync(client=ERP, body=BODY, dry_run=True).warning_count == 0)
say(push.sync_detailed(client=ERP, body=BODY, x_request_id="of-python").status_code == 204)
say(get_push.sync("of-python", client=ERP).changed >= 0)
say([one.id for one in get_records.sync(m.GetRecordsType.TICKETS, client=ERP, limit=5).records] == ["T-1", "T-2"])
say("findings" in json.loads(get_check.sync_detailed(client=ERP).content.splitlines()[-1]))

while (page := get_page.sync_detailed("acme", client=CUSTOMER, entity_type=m.GetPageEntityType.ACCOUNTS)).status_code != 200:
    pass
say("42-1001" in [one.account.id for one in page.parsed.data])
confirmed = confirm_page.sync_detailed("acme", client=CUSTOMER, body=m.PageConfirmation(page=page.headers["webhook-id"]))
say(confirmed.status_code == 204)
say(any(one.entity_type == "accounts" and one.delivered_at for one in list_markers.sync("acme", client=CUSTOMER).data))
say(len(get_digest.sync("acme", client=CUSTOMER, entity_type=m.GetDigestEntityType.ACCOUNTS).buckets) == 256)
held = m.DigestRequest.from_dict({"entity_type": "accounts", "ranges": [{"up_to": None, "hash": sha256().hexdigest()}]})
say("42-1001" in [one.id for one in compare_digest.sync("acme", client=CUSTOMER, body=held).data])
again = m.ResendRequest.from_dict({"entity_type": "accounts", "ids": ["42-1001"]})
say(resend_records.sync("acme", client=CUSTOMER, body=again).records == 1)
since = m.MarkerResetRequest.from_dict({"timestamp": "2026-01-01T00:00:00Z"})
say(reset_marker.sync("acme", m.ResetMarkerEntityType.ACCOUNTS, client=CUSTOMER, body=since, dry_run=True).records == 1)
say(len(list_deliveries.sync("acme", client=CUSTOMER, entity_type=m.ListDeliveriesEntityType.ACCOUNTS).data) > 0)
say([one.id for one in list_elevators.sync("acme", client=CUSTOMER).data] == ["42-7"])
say(get_production.sync("acme", client=CUSTOMER, account="42-1001", crop_year="none").loads == 2)
say(any(getattr(one, "delete", False) for one in list_subscriptions.sync("acme", client=CUSTOMER, ended="true").data))
say(confirm_deletion.sync("acme", client=CUSTOMER, body=m.DeletionConfirmation(account="42-1002")).account == "42-1002")

"""SecantusDB as the one member of rs0 at the address mongodb:27017, with rights by collection.

Of a role's privilege it goes by the database alone; mongod goes by the collection as well, where one is named.
"""

import runpy
import threading

from secantus import cli, commands, rbac
from secantus.server import SecantusDBServer

asked = threading.local()
resource_for_command = commands._resource_for_command
role_grants = rbac._custom_role_grants


def resource(name, command, db):
    asked.collection = command.get(name)  # `find: "markers"`; of a command without a collection 1
    return resource_for_command(name, command, db)


def grants(role, action, **target):
    of_it = [each for each in role["privileges"] if each["resource"].get("collection") in ("", asked.collection)]
    return role_grants({**role, "privileges": of_it}, action, **target)


def member(**options):
    return SecantusDBServer(**{**options, "replica_set_name": "rs0"})


SecantusDBServer.address = property(lambda server: ("mongodb", server.port))
cli.SecantusDBServer = member
commands._resource_for_command = resource
rbac._custom_role_grants = grants
runpy.run_path("/local/secantusd.py", run_name="__main__")

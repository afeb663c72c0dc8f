"""Attacks on a running server, by attacker. `conformance/attacks.py` runs them."""

from attack import (
    admin,
    another_site,
    content,
    database_owner,
    files,
    guesses,
    identity,
    no_key,
    protocol,
    read_key,
    roles,
    tenants,
    untrusted_key,
    write_key,
)

# Importing a module registers its attacks.
MODULES = (
    *(no_key, protocol, guesses, another_site, read_key, tenants),
    *(write_key, untrusted_key, roles, admin, content, files, identity, database_owner),
)

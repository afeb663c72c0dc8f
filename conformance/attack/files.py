"""Files: packs that others can read or changed, logs, and the rights in the database."""

from __future__ import annotations

import base64
import json
import os
import shutil
from pathlib import Path

from attack.registry import Impossible, attacks_of, got_in
from attack.target import Target
from server import Server

attack = attacks_of("files")


def exported(target: Target, slug: str) -> Path:
    """Exports a project."""
    folder = target.folder / target.fresh("pack")
    previous = os.umask(0o022)
    try:
        target.command("export", "--project", slug, "--to", str(folder))
    finally:
        os.umask(previous)
    return folder


@attack("reading the export of another user", row=11, defence="export-mode", watched=False)
def export_mode(target: Target) -> str:
    """The files of an export belong to their owner only."""
    owner = target.owner()
    owner.memory("Water the plants", "Start at the window.")
    folder = exported(target, owner.slug)
    paths = [folder, *folder.rglob("*")]
    readable = [path for path in paths if path.stat().st_mode & 0o077]
    if readable:
        got_in(
            f"{readable[0].relative_to(target.folder)} has the mode {readable[0].stat().st_mode & 0o777:o}"
        )
    return f"{len(paths)} files"


@attack("the key for tags in an export", row=11, watched=False)
def tag_key(target: Target) -> str:
    """The key that makes placeholders comparable does not leave the installation in plain text."""
    owner = target.owner()
    owner.trace("Use ghp_" + "a1B2" * 9)
    folder = exported(target, owner.slug)
    known = target.sql(f"select encode(tag_key, 'hex') from project where slug = '{owner.slug}'")
    texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    raw = bytes.fromhex(known)
    forms = (
        known.encode(),
        raw,
        base64.b64encode(raw).rstrip(b"="),
        base64.urlsafe_b64encode(raw).rstrip(b"="),
    )
    if any(form in text for form in forms for text in texts):
        got_in("an export contains the key for tags")
    return "not in the export"


@attack("a pack that reads other files", defence="pack-path", watched=False)
def pack_paths(target: Target) -> str:
    """The manifest of a pack cannot name files outside of it, and links are not followed."""
    owner = target.owner()
    owner.trace("Water the plants")
    folder = exported(target, owner.slug)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    parts = [part for table in manifest["tables"] for part in table.get("parts", [])]
    if not parts:
        raise Impossible("the pack has no parts")
    inside = parts[0]["file"]
    outside = target.folder / target.fresh("outside")
    shutil.copyfile(folder / inside, outside)
    # A copy with the right digest: only the place is wrong.
    for name in (f"../{outside.name}", str(outside), f"x/../../{outside.name}"):
        changed = folder.with_name(target.fresh("changed"))
        shutil.copytree(folder, changed)
        (changed / inside).unlink()
        text = (
            (folder / "manifest.json")
            .read_text(encoding="utf-8")
            .replace(json.dumps(inside), json.dumps(name))
        )
        (changed / "manifest.json").write_text(text, encoding="utf-8")
        _refused(target, changed, f"a pack read {name}")
    linked = folder.with_name(target.fresh("linked"))
    shutil.copytree(folder, linked)
    (linked / inside).unlink()
    (linked / inside).symlink_to(outside)
    _refused(target, linked, "a pack followed a link")
    return "refused"


def _refused(target: Target, pack: Path, what: str) -> None:
    done = target.command("import", "--from", str(pack), "--as", target.fresh("imported"), check=False)
    if done.returncode == 0:
        got_in(what)


@attack("headers behind TLS", row=13, watched=False)
def strict_transport(target: Target) -> str:
    """With a public https address, browsers are told to use TLS only, and cookies need it."""
    environment = {**target.environment, "REFLECT_PUBLIC_URL": "https://reflect.example"}
    log = target.folder / f"{target.fresh('https')}.log"
    with Server(target.found.binary, environment, log) as server:
        other = Target(server, target.found, environment, target.folder, target.quick)
        page = other.send("GET", "/login", headers={"Accept": "text/html"})
    if "max-age" not in page.headers.get("strict-transport-security", ""):
        got_in("no Strict-Transport-Security with a public https address")
    cookie = page.headers.get("set-cookie", "")
    if "Secure" not in cookie or "__Host-" not in cookie or "HttpOnly" not in cookie:
        got_in(f"a cookie may be sent without TLS: {cookie}")
    return page.headers["strict-transport-security"]


@attack("the application as the owner of its tables", row=10, watched=False)
def database_role(target: Target) -> str:
    """The server works with a role that is bound by row-level security and cannot change audit entries."""
    role = target.sql(
        "select string_agg(distinct rolname, ',') from pg_roles where not rolsuper and not rolbypassrls "
        "and rolname like 'reflect%app%'"
    )
    if not role:
        got_in("there is no restricted role")
    for statement in (
        "update audit_entry set action = 'x'",
        "delete from audit_entry",
        "truncate audit_entry",
    ):
        try:
            target.sql(f"set role {role.split(',')[0]}; {statement}")
        except Exception as refused:
            if "permission denied" not in str(refused):
                raise Impossible(str(refused)) from refused
        else:
            got_in(f"the restricted role may {statement.split()[0]} audit entries")
    return f"restricted to {role}"

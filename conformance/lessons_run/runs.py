"""Forty reviewed runs: support and coding tasks with tool calls, and feedback of every kind."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Call:
    """A tool call and its output."""

    tool: str
    arguments: dict[str, Any]
    output: str


@dataclass(frozen=True)
class ReviewedRun:
    """A run with its verdict."""

    task: str
    result: str
    feedback: str | None
    calls: tuple[Call, ...]
    answer: str
    # Whether the feedback says more than the verdict. Then a lesson starts with it.
    has_words: bool = True
    # Advice that the feedback forbids, and advice that it demands: regular expressions in the imperative.
    forbids: str | None = None
    demands: str | None = None

    def trajectory(self) -> list[dict[str, Any]]:
        """The messages of the run."""
        messages: list[dict[str, Any]] = [{"role": "user", "content": self.task}]
        for number, call in enumerate(self.calls):
            function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
            called = {"id": f"c{number}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [called]})
            messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": call.output})
        return [*messages, {"role": "assistant", "content": self.answer}]


CHECKLIST = "\n".join(
    f"{number}. Compare line {number} of the invoice with the purchase order, and stop if the amounts differ."
    for number in range(1, 31)
)

FAILS = (
    ReviewedRun(
        "Push the fixed release branch to the shared repository",
        "fail",
        "Never use --force on a shared branch: it removed two commits of a colleague.",
        (Call("git", {"args": ["push", "--force", "origin", "release"]}, "+ 1f3c...9ab2 (forced update)"),),
        "The branch release is pushed.",
        forbids=r"\buse --force\b(?!-)",
    ),
    ReviewedRun(
        "Refund order 1182, whose parcel arrived broken",
        "fail",
        "The order cost 24.00, not 240.00. Look the price up with find_order before a refund is paid.",
        (Call("pay_refund", {"order": 1182, "amount": 240.0}, '{"status": "paid"}'),),
        "The refund of 240.00 is on its way.",
        demands=r"look the price up|look up the price",
    ),
    ReviewedRun(
        "Pay the invoice of the paper supplier for March",
        "fail",
        f"The run paid without comparing. Always work through this list:\n\n{CHECKLIST}\n\n"
        "Never pay an invoice without an order number.",
        (Call("pay_invoice", {"supplier": "paper", "month": 3}, '{"paid": 1840.50}'),),
        "Paid 1,840.50.",
        forbids=r"\bpay (an|the) invoice without an order number",
    ),
    ReviewedRun(
        "Answer the customer who asks when parcel 77 arrives",
        "fail",
        "wrong",
        (Call("tracking", {"parcel": 77}, '{"state": "in transit", "eta": "Friday"}'),),
        "It arrives on Thursday.",
        has_words=False,
    ),
    ReviewedRun(
        "Add a nullable column to the orders table and deploy it",
        "fail",
        "Steps that were missing:\n- take a lock timeout of 2 s\n- run the migration before the new code\n"
        "- do not backfill in the same transaction",
        (Call("psql", {"sql": "alter table orders add column note text"}, "ALTER TABLE"),),
        "The column note exists.",
        forbids=r"\bbackfill in the same transaction",
    ),
    ReviewedRun(
        "Count the failed logins of yesterday",
        "fail",
        None,
        (Call("logs", {"query": "login failed", "day": "today"}, "12 entries"),),
        "There were 12 failed logins.",
        has_words=False,
    ),
    ReviewedRun(
        "Close the support tickets without an answer for a month",
        "fail",
        "Don't close tickets with the label legal.",
        (Call("close_tickets", {"older_than_days": 30}, '{"closed": 41}'),),
        "Closed 41 tickets.",
        forbids=r"\bclose tickets with the label legal",
    ),
    ReviewedRun(
        "Fix the failing test of the date parser",
        "fail",
        "You changed the test instead of the parser. The test was right: 2024-02-30 is not a date.",
        (Call("edit", {"file": "tests/date.py", "replace": "raises"}, "1 change"), Call("pytest", {}, "ok")),
        "All tests pass now.",
    ),
    ReviewedRun(
        "Send the newsletter to all customers in Austria",
        "fail",
        "Ask for a confirmation before more than 100 messages are sent.",
        (Call("send_mail", {"country": "AT"}, '{"sent": 5210}'),),
        "The newsletter was sent to 5,210 customers.",
        demands=r"ask for a confirmation",
    ),
    ReviewedRun(
        "Summarise the meeting of Tuesday for the team",
        "fail",
        "Too long.",
        (Call("read_document", {"name": "meeting-tuesday"}, "Budget, hiring, the move to the new office."),),
        "The meeting on Tuesday was about many things. " * 6,
    ),
    ReviewedRun(
        "Delete the old backups of the billing database",
        "fail",
        "Never delete the newest backup, even if it is older than the limit.",
        (
            Call("list_backups", {"database": "billing"}, "2 backups: 40 and 70 days old"),
            Call("delete_backups", {"older_than_days": 30}, '{"deleted": 2}'),
        ),
        "Deleted 2 backups.",
        forbids=r"\bdelete the newest backup",
    ),
    ReviewedRun(
        "Translate the error message of the login page into German",
        "fail",
        "Bitte immer die höfliche Form verwenden: „Bitte melden Sie sich an“, nicht „Melde dich an“.",
        (Call("edit", {"key": "login.required", "text": "Melde dich an"}, "saved"),),
        "Die Meldung lautet jetzt: Melde dich an.",
    ),
    ReviewedRun(
        "Restart the service that answers slowly",
        "fail",
        "👎",
        (Call("systemctl", {"action": "restart", "unit": "postgres"}, "restarted"),),
        "Restarted the database.",
        has_words=False,
    ),
    ReviewedRun(
        "Install the missing dependency of the report script",
        "fail",
        "Do not use sudo pip. Use the virtual environment of the project:\n\n"
        "```sh\n.venv/bin/pip install -r requirements.txt\n```",
        (
            Call(
                "shell", {"command": "sudo pip install -r requirements.txt"}, "Successfully installed pandas"
            ),
        ),
        "pandas is installed.",
        forbids=r"\buse sudo\b",
        demands=r"use the virtual environment",
    ),
    ReviewedRun(
        "Book a meeting room for eight people on Friday at ten",
        "fail",
        "The room has six seats. Check the number of seats with room_details first.",
        (Call("book_room", {"room": "Lisbon", "day": "Friday", "hour": 10}, '{"booked": true}'),),
        "Room Lisbon is booked.",
        demands=r"check the number of seats",
    ),
    ReviewedRun(
        "Convert the sensor readings from Fahrenheit to Celsius",
        "fail",
        "subtract 32 before multiplying",
        (Call("python", {"code": "c = f * 5 / 9 - 32"}, "23.4"),),
        "The mean is 23.4 °C.",
        demands=r"subtract 32",
    ),
    ReviewedRun(
        "Change the address of customer 5120 to the one in the mail",
        "fail",
        "Avoid changing an address on the word of a mail alone. Call the customer back at the stored number.",
        (
            Call("read_mail", {"id": 88}, "Please change my address to 4 Hill Road."),
            Call("update_customer", {"id": 5120, "address": "4 Hill Road"}, "saved"),
        ),
        "The address is changed.",
        demands=r"call the customer back",
    ),
    ReviewedRun(
        "Find out why the nightly export is empty",
        "fail",
        "This is not right.",
        (Call("read_log", {"job": "export"}, "0 rows; filter date = 1970-01-01"),),
        "The export is empty because there were no orders.",
        has_words=False,
    ),
    ReviewedRun(
        "Merge the pull request of the payment team",
        "fail",
        "Two approvals are required.\nOne was given.\n"
        "Wait for the second one; do not use the admin override.",
        (Call("merge", {"pull_request": 311, "admin": True}, "merged"),),
        "The pull request is merged.",
        forbids=r"\buse the admin override",
        demands=r"wait for the second",
    ),
    ReviewedRun(
        "Set the price of the winter jacket to 79.90",
        "fail",
        "The price was set in the wrong currency: list prices are in EUR, and this shop is in CHF.",
        (Call("set_price", {"item": "winter-jacket", "price": 79.9, "shop": "ch"}, "saved"),),
        "The price is 79.90 now.",
    ),
)

PASSES = (
    ReviewedRun(
        "Refund order 2291, which was damaged in the mail",
        "pass",
        "ok",
        (
            Call("find_order", {"order": 2291}, '{"price": 18.50}'),
            Call("pay_refund", {"order": 2291, "amount": 18.5}, '{"status": "paid"}'),
        ),
        "The order cost 18.50, and 18.50 is on its way.",
        has_words=False,
    ),
    ReviewedRun(
        "Export the orders of March as CSV",
        "pass",
        None,
        (
            Call("list_orders", {"month": 3}, "312 orders"),
            Call("write_csv", {"rows": 312}, "orders-march.csv"),
        ),
        "Wrote orders-march.csv with 312 lines.",
        has_words=False,
    ),
    ReviewedRun(
        "Update the lock file of the web application",
        "pass",
        "Right: npm ci first, then npm update with one package. Keep doing that, and never use the option "
        "--force with npm.",
        (
            Call("npm", {"args": ["ci"]}, "added 812 packages"),
            Call("npm", {"args": ["update", "vite"]}, "ok"),
        ),
        "vite is updated, and the lock file has only its changes.",
        forbids=r"\buse npm install --force",
    ),
    ReviewedRun(
        "Tell the customer whether the warranty covers a broken screen",
        "pass",
        "Good: it quoted paragraph 4 of the terms instead of guessing.",
        (Call("search_terms", {"query": "screen"}, "§4: displays are covered for 12 months"),),
        "Yes: paragraph 4 covers displays for 12 months.",
    ),
    ReviewedRun(
        "Find the commit that broke the search page",
        "pass",
        "👍",
        (Call("git", {"args": ["bisect", "run", "make", "test"]}, "4be1 is the first bad commit"),),
        "Commit 4be1 broke the search page.",
        has_words=False,
    ),
    ReviewedRun(
        "Rename the column qty to quantity without downtime",
        "pass",
        "What made this work:\n1. a new column and a trigger\n2. the backfill in batches of 1,000\n"
        "3. the old column stayed for one release",
        (
            Call("psql", {"sql": "alter table lines add column quantity int"}, "ALTER TABLE"),
            Call("backfill", {"batch": 1000}, "done"),
        ),
        "Both columns exist, and quantity is filled.",
    ),
    ReviewedRun(
        "Prepare the monthly revenue figures for the board",
        "pass",
        "Correct!",
        (Call("sql", {"query": "select sum(total) from invoice where month = 10"}, "184,220.10"),),
        "Revenue in October: 184,220.10 EUR.",
        has_words=False,
    ),
    ReviewedRun(
        "Reply to the complaint about a late delivery",
        "pass",
        "Apologise once, give the new date, and do not offer a voucher unless the customer asks.",
        (Call("tracking", {"parcel": 912}, '{"eta": "Monday"}'),),
        "We are sorry. Your parcel arrives on Monday.",
        forbids=r"(?<!not )\boffer a voucher(?! unless)",
    ),
    ReviewedRun(
        "Lower the memory use of the image resizer",
        "pass",
        "Streaming the file was the right idea. Measure with a file of 200 MB as well next time.",
        (Call("profile", {"file": "20mb.png"}, "peak 610 MB"), Call("edit", {"file": "resize.py"}, "saved")),
        "It streams now; the peak is 48 MB.",
        demands=r"measure with a file",
    ),
    ReviewedRun(
        "Check whether the certificate of the shop expires soon",
        "pass",
        "yes",
        (Call("openssl", {"host": "shop.example"}, "notAfter=Jan 12 2027"),),
        "It expires on 12 January 2027.",
        has_words=False,
    ),
    ReviewedRun(
        "Create a user for the new colleague in accounting",
        "pass",
        "Never grant the role admin to a new account. Reader plus invoices was right.",
        (Call("create_user", {"name": "kim", "roles": ["reader", "invoices"]}, "created"),),
        "Kim can read, and work with invoices.",
        forbids=r"\bgrant the role admin\b",
    ),
    ReviewedRun(
        "Remove duplicate rows from the contact list",
        "pass",
        "",
        (
            Call("dedupe", {"key": "email", "dry_run": True}, "61 duplicates"),
            Call("dedupe", {"key": "email"}, "ok"),
        ),
        "Removed 61 duplicates after a dry run.",
        has_words=False,
    ),
    ReviewedRun(
        "Explain the difference between two invoices to a customer",
        "pass",
        "Short, and with both amounts. Like that.",
        (Call("find_invoice", {"id": 41}, "120.00"), Call("find_invoice", {"id": 42}, "142.80 with tax")),
        "Invoice 42 has 19 % tax, invoice 41 has none: 142.80 and 120.00.",
    ),
    ReviewedRun(
        "Roll the checkout service back to the previous version",
        "pass",
        "Check the schema version before a rollback, as this run did; never roll back across a migration.",
        (
            Call("schema_version", {"service": "checkout"}, "41 for both versions"),
            Call("rollback", {"service": "checkout"}, "2.8.1 is live"),
        ),
        "Version 2.8.1 is live again.",
        forbids=r"\broll back across a migration",
        demands=r"check the schema version",
    ),
    ReviewedRun(
        "Write a regular expression for German postcodes",
        "pass",
        "lgtm",
        (Call("regex_test", {"pattern": "^\\d{5}$", "cases": 20}, "20 of 20"),),
        "^\\d{5}$ matches all 20 examples.",
        has_words=False,
    ),
    ReviewedRun(
        "Plan the on-call rota for December",
        "pass",
        "No person works two weekends in a row, and holidays are shared. Use the list of wishes first.",
        (Call("read_wishes", {"month": 12}, "7 wishes"), Call("write_rota", {"month": 12}, "saved")),
        "The rota is saved; 6 of 7 wishes are met.",
        demands=r"use the list of wishes",
    ),
    ReviewedRun(
        "Find the cheapest shipping for a parcel of 3 kg to Norway",
        "pass",
        "Include the customs fee in the comparison.",
        (Call("rates", {"kg": 3, "country": "NO"}, "A 14.20 + 6.00 customs; B 18.90 all included"),),
        "Carrier B, 18.90 with customs; A costs 20.20.",
        demands=r"include the customs fee",
    ),
    ReviewedRun(
        "Make the build of the documentation faster",
        "pass",
        None,
        (
            Call("time", {"command": "make docs"}, "94 s"),
            Call("edit", {"file": "Makefile", "add": "-j4"}, "saved"),
        ),
        "The build takes 31 s with four jobs.",
        has_words=False,
    ),
    ReviewedRun(
        "Antworte dem Kunden, der seine Rechnung nicht findet",
        "pass",
        "Gut, dass die Rechnung als PDF angehängt war. Den Link zum Kundenkonto nicht vergessen.",
        (Call("find_invoice", {"customer": 771}, "R-2026-1107.pdf"),),
        "Im Anhang finden Sie die Rechnung R-2026-1107.",
    ),
    ReviewedRun(
        "Rotate the API key of the weather service",
        "pass",
        "Do not print the new key in the answer. Store it with put_secret, and revoke the old one last.",
        (
            Call("create_key", {"service": "weather"}, "created, stored as weather-2"),
            Call("revoke_key", {"name": "weather-1"}, "revoked"),
        ),
        "The key weather-2 is in use, and weather-1 is revoked.",
        forbids=r"\bprint the new key",
        demands=r"store it with put_secret",
    ),
)


def chosen(quick: bool) -> tuple[ReviewedRun, ...]:
    """All runs, fails and passes in turn; a quick run has six of them with every kind of feedback."""
    if quick:
        return (FAILS[0], PASSES[0], FAILS[2], PASSES[1], FAILS[13], PASSES[13])
    return tuple(run for pair in zip(FAILS, PASSES, strict=True) for run in pair)

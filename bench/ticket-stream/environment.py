"""Runs the telecom environment of tau2-bench for Ticket-Stream.

    environment.py TAU2 GRAPH

TAU2 is the folder `tau2` of the package inspect_evals, GRAPH the file of known states. `cargo xtask setup`
installs the folder and the Python. The first line on standard output is what is known: actions, tickets,
states and transitions, as JSON. Then each line on standard input is a question, `STATE ACTION`, and the
answer is one line of JSON: the next state, and its description if it is new. A state is run once and then
known. When standard input ends, the graph is written.

The code of the environment is used unchanged. It imports a few names of the package inspect_ai, which has
many dependencies; these names are replaced, because the environment needs no model and no agent.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import sys
import tomllib
import types
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

USER, ASSISTANT = "user", "assistant"
CUSTOMER, LINE, BILL = "C1001", "L1002", "B1234321"
# So many states are kept as objects. Others are computed again from the ticket that led to them.
MOST_LIVE = 2_000
# The environment gives draft bills a random id. Nothing reads it.
DRAFT = "Bdraft000"
# What a solved ticket shows, by its kind.
GOALS = {
    "mms": "Your messaging app can send MMS messages.",
    "data": "(Excellent). Connection is very fast.",
    "service": "Cellular Connection: connected",
}


class Store(BaseModel):
    """Takes the place of inspect_ai's `StoreModel`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)


class ToolError(Exception):
    """Takes the place of inspect_ai's class of the same name."""


def replace_imports(tau2: Path) -> None:
    """Makes the modules of the environment importable without their packages and without inspect_ai."""

    def module(name: str, folder: Path | None = None, **names: Any) -> None:
        made = types.ModuleType(name)
        made.__dict__.update(names)
        if folder is not None:
            made.__path__ = [str(folder)]
        sys.modules[name] = made

    module("inspect_ai", tau2)
    module("inspect_ai.util", StoreModel=Store, store_as=lambda made, _=None: made())
    module("inspect_ai.tool", ToolError=ToolError)
    module("inspect_ai.model", Content=object, ContentText=object)
    module("toml", load=lambda file: tomllib.loads(file.read()))
    module("yaml", SafeLoader=None, load=None, dump=None)
    module("inspect_evals", tau2.parent)
    module("inspect_evals.tau2", tau2)
    module("inspect_evals.tau2.telecom", tau2 / "telecom")
    module("inspect_evals.tau2.environment", tau2 / "environment")


def actions() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """All tools of both sides that change something, once for each argument that a ticket leaves open."""
    line: dict[str, Any] = {"customer_id": CUSTOMER, "line_id": LINE}
    found: dict[str, tuple[str, str, dict[str, Any]]] = {}
    plain = ["toggle_airplane_mode", "reseat_sim_card", "toggle_data", "toggle_roaming"]
    found |= {name: (USER, name, {}) for name in [*plain, "toggle_data_saver_mode"]}
    for mode in ("4g_5g_preferred", "4g_only", "3g_only", "2g_only"):
        found[f"set_network_mode_preference:{mode}"] = (USER, "set_network_mode_preference", {"mode": mode})
    plain = ["reset_apn_settings", "reboot_device", "toggle_wifi", "toggle_wifi_calling", "connect_vpn"]
    found |= {name: (USER, name, {}) for name in [*plain, "disconnect_vpn"]}
    for permission in ("sms", "storage", "network"):
        arguments = {"app_name": "messaging", "permission": permission}
        found[f"grant_app_permission:{permission}"] = (USER, "grant_app_permission", arguments)
    found["make_payment"] = (USER, "make_payment", {})
    bill = {"customer_id": CUSTOMER, "bill_id": BILL}
    found["send_payment_request"] = (ASSISTANT, "send_payment_request", bill)
    found["resume_line"] = (ASSISTANT, "resume_line", line)
    found["suspend_line"] = (ASSISTANT, "suspend_line", line | {"reason": "customer request"})
    found["refuel_data"] = (ASSISTANT, "refuel_data", line | {"gb_amount": 2.0})
    found["enable_roaming"] = (ASSISTANT, "enable_roaming", line)
    found["disable_roaming"] = (ASSISTANT, "disable_roaming", line)
    summary = {"summary": "I cannot fix the issue."}
    found["transfer_to_human_agents"] = (ASSISTANT, "transfer_to_human_agents", summary)
    return found


class Telecom:
    """The states that are known, and how to reach others."""

    def __init__(self, tau2: Path, file: Path) -> None:
        """Reads the graph, or begins one with the first state of every ticket."""
        from inspect_evals.tau2.telecom.environment import Environment
        from inspect_evals.tau2.telecom.TelecomAgentTools import TelecomAgentTools
        from inspect_evals.tau2.telecom.TelecomUserTools import TelecomUserTools

        self.environment, self.file, self.actions = Environment, file, actions()
        self.first = (TelecomAgentTools(), TelecomUserTools())
        for tools in self.first:
            tools.initialize()
        data = tau2 / "data/domains/telecom"
        with gzip.open(data / "tasks.json.gz") as text:
            self.tasks = json.load(text)
        self.live: dict[int, tuple[Any, Any]] = {}
        self.calls: list[Any] = []
        for task in self.tasks:
            for call in task["evaluation_criteria"]["env_assertions"] or []:
                if self.call(call) not in self.calls:
                    self.calls.append(self.call(call))
        self.changed = not file.exists()
        if self.changed:
            parts = ("actions", "tickets", "statements", "states", "next")
            self.graph: dict[str, Any] = {part: [] for part in parts}
        else:
            self.graph = json.loads(file.read_text(encoding="utf-8"))
        self.states = {state["signature"]: index for index, state in enumerate(self.graph["states"])}
        self.next = {(state, action): then for state, action, then in self.graph["next"]}
        self.statements = {text: index for index, text in enumerate(self.graph["statements"])}
        if self.changed:
            self.graph["actions"] = [self.described(name) for name in self.actions]
            # The first state is a phone without a problem.
            self.intern(*self.start(None), [])
            base = json.loads((data / "split_tasks.json").read_text(encoding="utf-8"))["base"]
            tickets = enumerate(self.tasks)
            self.graph["tickets"] = [self.ticket(index, task["id"] in base) for index, task in tickets]

    @staticmethod
    def call(assertion: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
        """Who checks what, with which arguments. All checks of this domain must be true."""
        if not assertion.get("assert_value", True):
            raise SystemExit(f"an assertion has another form than expected: {assertion}")
        return assertion["env_type"], assertion["func_name"], assertion["arguments"]

    def described(self, name: str) -> dict[str, str]:
        """An action with its name and the first sentence of its documentation, as the agent reads it."""
        who, tool, _ = self.actions[name]
        agent, user = self.first
        tools = type(agent if who == ASSISTANT else user)
        sentence = tools.__dict__[tool].__doc__.strip().split("\n")[0].split(". ")[0]
        return {"name": name, "text": f"{name.replace('_', ' ').replace(':', ' ')}. {sentence}"}

    def ticket(self, index: int, base: bool) -> dict[str, Any]:
        """A ticket, with the check that its solution has to pass."""
        task = self.tasks[index]
        text, wanted = task["ticket"], task["evaluation_criteria"]
        kind = "mms" if "MMS" in text else "data" if "speed test" in text else "service"
        abroad = "abroad" in text
        return {
            "head": text.split(" Customer name")[0] + (" The user is abroad." if abroad else ""),
            "abroad": abroad,
            "goal": GOALS[kind],
            "start": self.intern(*self.start(index), [index]),
            "gold": [self.action(gold) for gold in wanted["actions"]],
            "checks": [self.calls.index(self.call(one)) for one in wanted["env_assertions"] or []],
            "needs_gold": "ACTION" in wanted["reward_basis"],
            "base": base,
        }

    def action(self, gold: dict[str, Any]) -> int:
        """The index of an action of a solution."""
        call = (gold["requestor"], gold["name"], gold["arguments"])
        return list(self.actions.values()).index(call)

    def start(self, ticket: int | None) -> tuple[Any, Any]:
        """The first state of a ticket, or of a phone without a problem."""
        agent, user = (tools.model_copy(deep=True) for tools in self.first)
        if ticket is None:
            user.set_user_info("John Smith", "555-123-2002")
        environment = self.environment(user, agent)
        first = {} if ticket is None else self.tasks[ticket]["initial_state"]
        for call in first.get("initialization_actions") or []:
            side = agent if call["env_type"] == ASSISTANT else user
            getattr(side, call["func_name"])(**call["arguments"])
            environment.sync_tools()
        return agent, user

    def act(self, before: tuple[Any, Any], action: int) -> tuple[Any, Any]:
        """The state after an action. An action that the environment refuses changes nothing."""
        agent, user = (tools.model_copy(deep=True) for tools in before)
        environment = self.environment(user, agent)
        who, tool, arguments = list(self.actions.values())[action]
        # Tools refuse by exceptions of several classes.
        with contextlib.suppress(Exception):
            getattr(agent if who == ASSISTANT else user, tool)(**arguments)
        environment.sync_tools()
        return agent, user

    def objects(self, state: int) -> tuple[Any, Any]:
        """A state as objects: those in memory, or computed again from where it was first reached."""
        if state not in self.live:
            origin = self.graph["states"][state]["origin"]
            if len(origin) == 2:
                found = self.act(self.objects(origin[0]), origin[1])
            else:
                found = self.start(origin[0] if origin else None)
            self.keep(state, found)
        return self.live[state]

    def keep(self, state: int, found: tuple[Any, Any]) -> None:
        """Keeps the objects of a state, and drops the oldest."""
        self.live[state] = found
        if len(self.live) > MOST_LIVE:
            del self.live[next(iter(self.live))]

    def intern(self, agent: Any, user: Any, origin: list[int]) -> int:
        """The index of a state. Equal states have one index."""
        for bill in agent.db.bills:
            if bill.status.value == "Draft" and len(bill.bill_id) == len(DRAFT):
                for customer in agent.db.customers:
                    customer.bill_ids = [DRAFT if one == bill.bill_id else one for one in customer.bill_ids]
                bill.bill_id = DRAFT
        parts = (agent.db, user.db, user.default_vpn_details)
        text = "".join(part.model_dump_json() for part in parts)
        signature = hashlib.sha256(text.encode()).hexdigest()[:32]
        if signature not in self.states:
            state = self.states[signature] = len(self.graph["states"])
            sides = {ASSISTANT: agent, USER: user}
            checks = [getattr(sides[who], name)(**arguments) is True for who, name, arguments in self.calls]
            lines = [self.statement(line) for line in observe(agent, user)]
            described = {"signature": signature, "origin": origin, "lines": lines, "checks": checks}
            self.graph["states"].append(described)
            self.keep(state, (agent, user))
        return self.states[signature]

    def statement(self, text: str) -> int:
        """The index of a line."""
        if text not in self.statements:
            self.statements[text] = len(self.graph["statements"])
            self.graph["statements"].append(text)
        return self.statements[text]

    def step(self, state: int, action: int) -> int:
        """The state after an action."""
        if (state, action) not in self.next:
            then = self.intern(*self.act(self.objects(state), action), [state, action])
            self.next[(state, action)] = then
            self.graph["next"].append([state, action, then])
            self.changed = True
        return self.next[(state, action)]

    def write(self) -> None:
        """Writes the graph to another file and renames it, so that a file is never incomplete."""
        if self.changed:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            aside = self.file.with_suffix(f".partial-{os.getpid()}")
            aside.write_text(json.dumps(self.graph, separators=(",", ":")), encoding="utf-8")
            aside.replace(self.file)


def observe(agent: Any, user: Any) -> list[str]:
    """What all checks of both sides show, line by line."""
    status = user.check_network_status().split("\n")
    lines = [line for line in status if not line.startswith("Wi-Fi Connected")]
    lines += [user.check_network_mode_preference(), user.check_data_restriction_status()]
    lines += user.check_apn_settings().split("\n")[:2]
    lines += [user.check_wifi_calling_status(), user.check_vpn_status().split(" Details")[0]]
    lines.append(user.check_app_permissions("messaging"))
    lines += [user.run_speed_test().split(" Mbps ")[-1], user.can_send_mms()]
    line = agent.get_details_by_id(LINE)
    lines.append(f"Line status: {line['status'].value}")
    lines.append(f"Line roaming enabled: {'Yes' if line['roaming_enabled'] else 'No'}")
    lines.append(f"Line contract end date: {line['contract_end_date']}")
    usage = agent.get_data_usage(CUSTOMER, LINE)
    used, allowed = usage["data_used_gb"], usage["data_limit_gb"] + usage["data_refueling_gb"]
    lines.append(f"Data used {used} GB of {allowed} GB" + (" (limit exceeded)" if used >= allowed else ""))
    for bill in agent.get_bills_for_customer(CUSTOMER):
        if bill.status.value in ("Overdue", "Awaiting Payment"):
            lines.append(f"Bill {bill.bill_id}: {bill.status.value}")
    lines.append(user.check_payment_request())
    return lines


def main() -> None:
    """Answers questions until standard input ends."""
    tau2, file = Path(sys.argv[1]), Path(sys.argv[2])
    replace_imports(tau2)
    telecom = Telecom(tau2, file)
    graph = telecom.graph
    print(json.dumps(graph, separators=(",", ":")), flush=True)
    for question in sys.stdin:
        state, action = (int(number) for number in question.split())
        states, statements = len(graph["states"]), len(graph["statements"])
        then = telecom.step(state, action)
        new = {"states": graph["states"][states:], "statements": graph["statements"][statements:]}
        answer = {"next": then, **new}
        print(json.dumps(answer, separators=(",", ":")), flush=True)
    telecom.write()


if __name__ == "__main__":
    main()

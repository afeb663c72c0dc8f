"""The expected output of each example, and the expected data on the server.

An example without an entry here fails the check, and so does an entry without its example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from documented.program import Program

# Returns a summary; raises AssertionError.
Check: TypeAlias = Callable[[Program], str]

CHECKS: dict[str, Check] = {}

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def of_example(name: str) -> Callable[[Check], Check]:
    """Registers the check of one example."""

    def enter(check: Check) -> Check:
        CHECKS[name] = check
        return check

    return enter


@of_example("interactive_feedback_cli.py")
def _interactive(program: Program) -> str:
    project = program.environment.project("interactive")
    numbers, capital = "Which number is larger, 9.11 or 9.9?", "Name the capital of Finland."
    feedback = "Compare the tenths first."
    told: list[str] = []
    # Few memories: on a slow machine the model needs seconds for each.
    for task, typed, result, status, memories in (
        (numbers, f"n\n{feedback}\n", "fail", "reviewed", 0),
        (numbers, "maybe\ny\n", "pass", "reviewed", 1),
        (capital, "d\n", None, "pending", 0),
    ):
        done = program.run(project.environment(), ["--task", task, "--model", program.environment.model], typed)
        shown = done.line(rf"Trace:    ({UUID}) \((\w+)\)")
        trace = project.get(f"traces/{shown[1]}")
        assert shown[2] == status == trace["review_status"], f"the trace is {trace}"
        assert (trace["review"]["result"] if trace["review"] else None) == result, f"the trace is {trace}"
        found = int(done.line(r"Memories: (\d+) retrieved")[1])
        assert found == memories == len(trace["retrieved_memory_ids"]), f"{found} memories were retrieved"
        assert done.lines(rf"Memory:   {UUID}") if result else "Memory:" not in done.out
        assert ("Please type y, n or d." in done.out) == typed.startswith("maybe")
        if result == "fail":
            assert done.line(r"Feedback: (.+)")[1] == feedback == trace["review"]["feedback_text"]
        told.append(f"{result or 'deferred'} in {done.seconds:.1f} s")
    without_project = program.run({"REFLECT_API_KEY": project.key}, code=2)
    assert "REFLECT_PROJECT_ID" in without_project.errors, "it does not say what is missing"
    return ", ".join(told)


@of_example("evaluation_loop.py")
def _evaluation(program: Program) -> str:
    project, done = program.alone("evaluation")
    assert done.line(r"Pass 1: (\d+) of 8 right")[1] == "3"
    assert done.line(r"Pass 2: (\d+) of 8 right")[1] == "8"
    done.line(r"Runs of pass 2 that were given memories of pass 1: 8 of 8")
    traces = project.get("traces")
    assert len(traces) == 16, f"{len(traces)} traces were stored"
    assert all(trace["created_memory_id"] for trace in traces), "a run has no memory although it was waited for"
    return "3 of 8 right, then 8 of 8"


@of_example("deferred_bulk_review.py")
def _deferred(program: Program) -> str:
    project, done = program.alone("deferred")
    done.line(r"Pending: 5 runs")
    done.line(r"Reviewed: 5, refused: 0")
    learned = done.lines(rf"  (pass|fail)  memory ({UUID})  .+")
    assert sorted(match[1] for match in learned) == ["fail", "fail", "pass", "pass", "pass"]
    traces = project.get("traces")
    assert {trace["created_memory_id"] for trace in traces} == {match[2] for match in learned}
    assert {trace["review"]["mode"] for trace in traces} == {"deferred"}
    retrieved = done.lines(r"  0\.\d\d  .+")
    assert retrieved and "store credit" in retrieved[0].group(), f"the best memory is {retrieved[:1]}"
    return "5 reviewed, 5 memories"


@of_example("async_agents.py")
def _async_agents(program: Program) -> str:
    project, done = program.alone("async")
    seconds = float(done.line(r"20 runs in (\d+\.\d) s, for example: Oslo: .+")[1])
    # Each model call takes half a second, so sequential calls would take 10 s.
    assert seconds < 10.0, f"the runs took {seconds} s"
    done.line(r"sent 20, pending 0, spooled 0, dropped 0")
    done.line(r"20 of 20 tasks are on the server")
    traces = project.get("traces")
    assert len({trace["task"] for trace in traces}) == len(traces) == 20
    assert all(trace["review"]["result"] == "pass" for trace in traces)
    return f"20 runs in {seconds} s"


@of_example("masking_and_delivery.py")
def _masking(program: Program) -> str:
    project, done = program.alone("masking", quiet=False)
    done.line(r"  flush: sent 1, pending 0, spooled 0, dropped 0")
    done.line(r"  task: Answer \[email\], whose card \[card\] was charged twice")
    done.line(r"  final response: I wrote to \[email\] that .+")
    done.line(r"  this run has no memories \(.+\)")
    done.line(r"  flush: sent 0, pending 0, spooled 1, dropped 0")
    done.line(r"  on disk: \d+ bytes, masked: True")
    done.line(r"  counters: produced 1, sent 0, spooled 1, dropped \{\}")
    (trace,) = project.get("traces")
    stored = str(trace)
    assert trace["review"]["result"] == "pass" and trace["trajectory"][2]["content"] == "250 OK", (
        f"stored is {stored}"
    )
    assert "[email]" in stored and "ada@" not in stored and "4111" not in stored, f"stored is {stored}"
    return "masked on the server and on disk; 1 sent, 1 spooled"


@of_example("agent_framework.py")
def _framework(program: Program) -> str:
    project = program.environment.project("framework")
    done = program.run(project.environment(), ["--model", program.environment.model])
    assert not done.warnings, "it wrote to stderr"
    done.line(r"captured: assistant, tool, user, user, assistant")
    done.line(r"converted: user, user, assistant")
    converted, captured = project.get("traces")
    found = "Order 1181 is at the depot in Turku."
    noted = [message for message in captured["trajectory"] if message.get("name") == "find_order"]
    assert [message["content"] for message in noted] == [found], f"stored is {captured}"
    for trace, town in ((captured, "Turku"), (converted, "Vaasa")):
        answer = trace["trajectory"][-1]
        # Not what it says: the model is a very small one, and its answer may be empty.
        said = trace["final_response"] or ""
        assert (answer["content"] or "").split() == said.split(), f"stored is {trace}"
        assert answer["model"] == program.environment.model, f"stored is {trace}"
        expected = "pass" if town in said else "fail"
        assert trace["review"]["result"] == expected, f"stored is {trace}"
    return f"a tool and a model captured, a state converted, in {done.seconds:.1f} s"

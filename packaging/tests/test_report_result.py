"""The GitHub action and the GitLab snippet: their schemas, and what they send to a server that records it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

PACKAGING = Path(__file__).resolve().parents[1]
ACTION = PACKAGING / "github-action" / "action.yml"
SNIPPET = PACKAGING / "gitlab" / "reflect.gitlab-ci.yml"

JUNIT = """<testsuites><testsuite name="pytest" tests="2" failures="1">
  <testcase classname="tests.test_refund" name="rounds_down"><failure message="assert 24.01 == 24.00"/></testcase>
  <testcase classname="tests.test_refund" name="names_the_order"/>
</testsuite></testsuites>"""
COMMENT = "1 of 2 tests failed: tests.test_refund::rounds_down"
TAP = "1..2\nok 1 - rounds down\nok 2 - names the order\n"

# The expressions of the action that a runner evaluates, besides its inputs.
GITHUB = {
    "github.sha": "77be012",
    "github.event.pull_request.head.sha || github.sha": "77be012",
    "strategy.job-index": "0",
}
GITHUB_VARIABLES = {
    "GITHUB_ACTION_PATH": str(ACTION.parent),
    "GITHUB_JOB": "test",
    "GITHUB_REPOSITORY": "acme/shop",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_RUN_ID": "5121",
    "GITHUB_SERVER_URL": "https://github.example",
}
GITLAB_VARIABLES = {
    "CI_COMMIT_SHA": "4f2a9c1",
    "CI_JOB_ID": "88",
    "CI_PIPELINE_URL": "https://gitlab.example/acme/shop/-/pipelines/9",
    "REFLECT_API_KEY": "rf_test_1",
    "REFLECT_PROJECT_ID": "support",
}


class Recorder(ThreadingHTTPServer):
    """Accepts every signal and remembers the requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, Mapping[str, str], Any]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def signal(self) -> dict[str, Any]:
        """The body of the only request."""
        ((path, headers, body),) = self.requests
        assert path == "/v1/projects/support/signals" and headers["authorization"] == "Bearer rf_test_1"
        return {name: value for name, value in body.items() if value is not None}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert isinstance(self.server, Recorder)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.path, headers, body))
        some_id = "01a1dd7e-3ee9-72ee-8967-c21adbd96373"
        answer = json.dumps({"id": some_id, "status": "matched", "trace_ids": [some_id]}).encode()
        self.send_response(202)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


@pytest.fixture
def server() -> Iterator[Recorder]:
    with Recorder() as recorder:
        threading.Thread(target=recorder.serve_forever, daemon=True).start()
        yield recorder
        recorder.shutdown()


@pytest.fixture
def path(binary: Path, tmp_path: Path) -> str:
    """Where programs are found, among them `reflect`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "reflect").symlink_to(binary)
    return f"{folder}:/usr/bin:/bin"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The files of a build."""
    folder = tmp_path / "workspace"
    (folder / "reports" / "unit").mkdir(parents=True)
    (folder / "reports" / "unit" / "results of pytest.xml").write_text(JUNIT)
    (folder / "results.tap").write_text(TAP)
    return folder


def of_expression(text: str, known: Mapping[str, str]) -> str:
    """The value of a text that may be an expression."""
    if not text.startswith("${{"):
        assert "${{" not in text
        return text
    return known[text.removeprefix("${{").removesuffix("}}").strip()]


def run_action(path: str, folder: Path, given: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs the step as a runner does, with these inputs."""
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    assert set(given) <= set(action["inputs"])
    inputs = {}
    for name, about in action["inputs"].items():
        assert about.get("required") or "default" in about, name
        inputs[f"inputs.{name}"] = given.get(name) or of_expression(about.get("default", ""), GITHUB)
    run_key = inputs["inputs.run-key"] or f"commit={inputs['inputs.commit']}"
    known = {**GITHUB, **inputs, "inputs.run-key || format('commit={0}', inputs.commit)": run_key}
    (step,) = action["runs"]["steps"]
    variables = {name: of_expression(text, known) for name, text in step["env"].items()}
    environment = {**GITHUB_VARIABLES, **variables, "PATH": path, "RUNNER_TEMP": str(folder.parent)}
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def run_snippet(path: str, folder: Path, given: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs the script of the job as a runner does, with these variables."""
    job = yaml.safe_load(SNIPPET.read_text(encoding="utf-8"))["reflect"]
    (script,) = job["script"]
    environment = {**GITLAB_VARIABLES, **job["variables"], **given, "PATH": path}
    shell = ["sh", "-e", "-c", script]
    return subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("schema", "file"), [("vendor.github-actions", ACTION), ("vendor.gitlab-ci", SNIPPET)], ids=["github", "gitlab"]
)
def test_the_file_has_the_form_that_its_system_reads(schema: str, file: Path) -> None:
    tools = Path(os.environ["REFLECT_CACHE"], "audit-tools", "1", "bin")
    subprocess.run([tools / "python", "-m", "check_jsonschema", "--builtin-schema", schema, file], check=True)


def test_the_action_puts_no_input_into_its_script() -> None:
    tools = Path(os.environ["REFLECT_CACHE"], "audit-tools", "1", "bin")
    audit = [tools / "zizmor", "--offline", "--no-progress", "--min-severity", "medium", ACTION.parent]
    subprocess.run(audit, check=True)


def test_the_action_reports_the_files_of_a_build(server: Recorder, path: str, workspace: Path) -> None:
    inputs = {"server": server.url, "project": "support", "key": "rf_test_1"}
    done = run_action(path, workspace, {**inputs, "junit": "absent.xml\nreports/**/*.xml", "tap": "results.tap"})

    assert done.returncode == 0, done.stderr
    assert server.signal() == {
        "source": "ci",
        "key": {"name": "commit", "value": "77be012"},
        "outcome": "fail",
        "comment": COMMENT.replace("of 2", "of 4"),
        "idempotency_key": "run 5121 2 test 0",
        "url": "https://github.example/acme/shop/actions/runs/5121",
    }


def test_the_action_reports_another_key_and_the_status_of_the_job(
    server: Recorder, path: str, workspace: Path
) -> None:
    inputs = {"server": server.url, "project": "support", "key": "rf_test_1", "junit": "absent.xml"}
    more = {"source": "merge", "run-key": "pull_request=118", "outcome": "success"}
    assert run_action(path, workspace, {**inputs, **more}).returncode == 0
    signal = server.signal()
    assert (signal["source"], signal["outcome"]) == ("merge", "pass")
    assert signal["key"] == {"name": "pull_request", "value": "118"}

    assert run_action(path, workspace, {**inputs, "outcome": "cancelled"}).returncode == 0
    assert len(server.requests) == 1


def test_the_action_fails_a_build_only_if_it_is_told_to(server: Recorder, path: str, workspace: Path) -> None:
    inputs = {"server": server.url, "project": "support", "key": "rf_test_1", "tap": "results.tap"}
    (workspace / "broken.tap").write_text("not a result")
    for wrong, said in (
        ({"server": "http://127.0.0.1:9"}, "was not reported (exit code 4)"),
        ({"tap": "broken.tap"}, "was not reported (exit code 6)"),
        ({"tap": "absent.tap"}, "no file of test results"),
        ({"key": ""}, "There is no key"),
    ):
        done = run_action(path, workspace, {**inputs, **wrong})
        assert done.returncode == 0 and "::warning title=Reflect::" in done.stdout and said in done.stdout, done
        done = run_action(path, workspace, {**inputs, **wrong, "fail-on-error": "true"})
        assert done.returncode == 1, done
    assert server.requests == []


def test_the_action_installs_the_program_where_it_is_missing(server: Recorder, built: Path, workspace: Path) -> None:
    python = Path(sys.base_prefix, "bin")
    inputs = {"server": server.url, "project": "support", "key": "rf_test_1", "tap": "results.tap"}
    done = run_action(f"{python}:/usr/bin:/bin", workspace, {**inputs, "package": str(built)})

    assert done.returncode == 0 and server.requests, done
    assert server.signal()["outcome"] == "pass"
    wrong = {**inputs, "package": "/absent.whl"}
    done = run_action(f"{python}:/usr/bin:/bin", workspace / "reports", {**wrong, "outcome": "pass"})
    assert done.returncode == 0 and "cannot be installed" in done.stdout, done


def test_the_snippet_reports_the_artifacts_of_a_pipeline(server: Recorder, path: str, workspace: Path) -> None:
    (workspace / "results.xml").write_text(JUNIT)
    done = run_snippet(path, workspace, {"REFLECT_BASE_URL": server.url})

    assert done.returncode == 0, done.stderr
    assert server.signal() == {
        "source": "ci",
        "key": {"name": "commit", "value": "4f2a9c1"},
        "outcome": "fail",
        "comment": COMMENT,
        "idempotency_key": "job 88",
        "url": GITLAB_VARIABLES["CI_PIPELINE_URL"],
    }


def test_the_snippet_reports_the_commit_of_a_merge_request(server: Recorder, path: str, workspace: Path) -> None:
    given = {"REFLECT_BASE_URL": server.url, "REFLECT_TAP": "*.tap", "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "0a1b"}
    assert run_snippet(path, workspace, given).returncode == 0
    signal = server.signal()
    assert (signal["key"]["value"], signal["outcome"]) == ("0a1b", "pass")


def test_the_snippet_never_fails_a_pipeline(server: Recorder, path: str, workspace: Path) -> None:
    job = yaml.safe_load(SNIPPET.read_text(encoding="utf-8"))["reflect"]
    assert job["allow_failure"] is True and job["when"] == "always"
    done = run_snippet(path, workspace, {"REFLECT_BASE_URL": server.url})
    assert done.returncode == 1 and "no file of test results" in done.stdout and server.requests == []

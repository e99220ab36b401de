"""The explorer page as people use it: hasa serve of a run trained in seconds, in a real browser."""

import contextlib
import json
import pathlib
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

from browser import DESK, PATIENCE, PHONE, Browser, find_chromium, is_excused
from serving import PROGRAM, Server
from tiny_model import write_tiny_bert

CHROMIUM = find_chromium()

CONFIG = """graph: {folder}/graph
device: cpu
seed: 7
language_model: {{path: {folder}/lm}}
model: {{dim: 16}}
optimiser: {{lr: 3e-3}}
train: {{epochs: 30, batch: 32}}
"""
KINDS = {"dog": "a tame animal that barks", "cat": "a tame animal that purrs", "bird": "an animal with feathers and wings"}
COLOURS = ["red", "brown", "grey", "white", "black", "golden", "small", "large", "swift", "old"]
RED_DOG = "red_dog"
LONG_NAME = "swift bird, a bird whose list of names goes on and on, without-any-place-to-break-it-for-a-very-long-while"


def write_graph(folder):
    """Animals of three kinds, each with a place it lives in; what is said of a kind is said of its animals."""
    triples, texts = [], [f"{kind}\t{kind}\t{text}" for kind, text in KINDS.items()]
    texts += ["animal\tanimal\ta living being that moves", "house\thouse\ta building where people live", "tree\ttree\ta tall plant"]
    triples += [f"{kind}\tis_a\tanimal" for kind in KINDS]
    for kind, text in KINDS.items():
        for colour in COLOURS:
            name = LONG_NAME if (colour, kind) == ("swift", "bird") else f"{colour} {kind}"
            texts.append(f"{colour}_{kind}\t{name}\ta {colour} one: {text}")
            triples.append(f"{colour}_{kind}\tis_a\t{kind}")
            triples.append(f"{colour}_{kind}\tlives_in\t{'tree' if kind == 'bird' else 'house'}")
    held_out = [f"{colour}_{kind}\tlives_in\t{'tree' if kind == 'bird' else 'house'}" for colour in COLOURS[7:] for kind in KINDS]
    held_out = [triple for triple in held_out if triple != "large_dog\tlives_in\thouse"]
    folder.mkdir()
    rows = {"train": [each for each in triples if each not in held_out], "valid": held_out[:4], "test": held_out[4:]}
    for name, part in rows.items():
        (folder / f"{name}.txt").write_text("".join(row + "\n" for row in part))
    (folder / "entities.tsv").write_text("".join(text + "\n" for text in texts))
    (folder / "relations.tsv").write_text("is_a\tis a kind of\nlives_in\tlives in\n")


@contextlib.contextmanager
def served(run, *flags):
    with Server(run, *flags) as server:
        yield f"http://127.0.0.1:{server.port}"


@unittest.skipIf(CHROMIUM is None and is_excused(), "no Chromium here; tools/setup.sh test installs it where there is a package")
class Explorer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.folder = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory(prefix="hasa-page-")))
        write_graph(cls.folder / "texts")
        write_tiny_bert(cls.folder / "lm")
        (cls.folder / "c.yaml").write_text(CONFIG.format(folder=cls.folder))
        cls.run_folder = cls.folder / "run"
        for command in (["import", cls.folder / "texts", "--out", cls.folder / "graph"],
                        ["train", "--config", cls.folder / "c.yaml", "--out", cls.run_folder]):
            done = subprocess.run([PROGRAM, "-q", *map(str, command)], capture_output=True, timeout=5 * PATIENCE)
            assert done.returncode == 0, done.stderr.decode()
        cls.browser = Browser(CHROMIUM)
        cls.stack.callback(cls.browser.close)
        cls.address = cls.stack.enter_context(served(cls.run_folder))

    def page(self, place="", size=DESK, dark=False, address=None):
        page = self.browser.page(size, dark)
        self.addCleanup(page.close)
        page.go(f"{address or self.address}/{place}")
        page.until("document.querySelector('h1') && !document.querySelector('main[aria-busy]')")
        return page

    def settled(self, page):
        page.until("!document.querySelector('[aria-busy]') && !document.querySelector('.waiting')")

    def suggestion(self, page, text):
        """Types into the field that has the focus and takes the suggestion of that name."""
        page.type(text)
        page.until(f"[...document.querySelectorAll('[role=option] .name')].some((each) => each.innerText === {json.dumps(text)})")
        chosen = "document.querySelector('[role=option][aria-selected=true] .name')?.innerText"
        for _ in range(8):
            if page.run(chosen) == text:
                break
            page.press("ArrowDown")
        self.assertEqual(page.run(chosen), text)
        page.press("Enter")

    def assertQuiet(self, page):
        self.assertEqual(page.errors, [])

    # --- journeys -------------------------------------------------------------------------------------------------
    def test_an_entity_is_found_by_the_keyboard_and_read(self):
        page = self.page()
        page.press("/")
        self.suggestion(page, "red dog")
        page.until("location.hash === '#/entity/red_dog' && document.querySelector('h1').innerText.startsWith('red dog')")
        self.assertIn("a red one: a tame animal that barks", page.text("p.lead"))
        self.assertEqual(page.texts(".group summary b"), ["is a kind of", "lives in"])
        page.go(self.address + "/#/entity/dog")
        page.until("document.querySelector('h1').innerText === 'dog'")
        groups = page.texts(".group summary")
        self.assertEqual(len(groups), 2)  # what is a dog, and what a dog is
        self.assertRegex(groups[0], r"to here:\s*is a kind of\s*10")
        self.assertRegex(groups[1], r"from here:\s*is a kind of\s*1")
        self.assertEqual(page.run("document.title"), "dog · hasa")
        self.assertQuiet(page)

    def test_a_question_is_put_together_answered_and_asked_from_the_other_side(self):
        page = self.page("#/ask")
        self.suggestion(page, "red dog")
        self.suggestion(page, "is a kind of")
        page.press("Enter")  # on "Ask", where the focus has gone
        page.until("document.querySelectorAll('li.answer').length === 10")
        self.assertIn("relation=is_a", page.run("location.hash"))
        self.assertEqual(page.run("document.querySelector('li.answer.known a.name').innerText"), "dog")
        page.click(".switch input")
        page.until("document.querySelectorAll('li.answer').length && !document.querySelector('li.answer.known') && !document.querySelector('[aria-busy]')")
        self.assertIn("new=1", page.run("location.hash"))

        page.click(".forms label", 1)  # the entity stands at the other end now
        self.assertEqual(page.run("[...document.querySelectorAll('.line input')].map((field) => field.value)"), ["is a kind of", "red dog"])
        page.click(".composer button.main")
        page.until("document.querySelector('.results h2')?.innerText === '? — is a kind of → red dog'")
        self.assertIn("tail=red_dog", page.run("location.hash"))
        self.assertQuiet(page)

    def test_answers_come_best_first_with_bars_that_say_the_probability(self):
        page = self.page("#/ask?head=red_dog&relation=lives_in&top=20")
        page.until("document.querySelectorAll('li.answer').length === 20")
        answers = json.loads(self.asked("/v1/predict", {"head": RED_DOG, "relation": "lives_in", "top": 20}))["answers"]
        self.assertEqual(page.texts("li.answer a.name"), [each["name"] for each in answers])
        if answers[0]["probability"] is not None:
            widths = page.run("[...document.querySelectorAll('li.answer .fill')].map((each) => parseFloat(each.style.width))")
            for width, answer in zip(widths, answers, strict=True):
                self.assertAlmostEqual(width, 100 * answer["probability"], places=3)

    def asked(self, path, body, address=None):
        request = urllib.request.Request((address or self.address) + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    def test_an_answer_gives_its_reasons_and_can_be_linked_to(self):
        page = self.page("#/ask?head=red_dog&relation=is_a")
        page.until("document.querySelector('.why')")
        number = page.texts("li.answer a.name").index("dog")
        page.click(".why", number)
        page.until("document.querySelector('.reasons .parts')")
        titles = " ".join(page.texts(".reasons h3"))
        for title in ("Nearest known facts", "Words of the head", "Words of the tail"):
            self.assertIn(title, titles)
        self.assertIn("— is a kind of → dog", " ".join(page.texts(".reasons li")))
        self.assertEqual(" ".join(page.texts(".reasons .words")[0].split()), "red dog a red one: a tame animal that barks")
        self.assertIn("why=dog", page.run("location.hash"))
        page.call("Page.reload")
        page.until("document.querySelector('li.answer[data-id=dog] .reasons .parts')")
        self.assertQuiet(page)

    def test_which_relation_joins_two_can_be_asked(self):
        page = self.page("#/ask?head=red_dog&tail=dog")
        page.until("document.querySelectorAll('li.answer').length === 2")
        self.assertEqual(sorted(page.texts("li.answer .name")), ["is a kind of", "lives in"])
        self.assertQuiet(page)

    def test_a_text_that_nobody_has_seen_is_asked_about(self):
        page = self.page("#/ask")
        page.click("button.quiet")
        page.type("wolf: a grey animal that howls")
        page.run("document.querySelector('.composer input[role=combobox]').focus()")
        self.suggestion(page, "is a kind of")
        page.press("Enter")
        page.until("document.querySelectorAll('li.answer').length === 10")
        self.assertIn("head_text=wolf", page.run("location.hash"))
        self.assertIn("A text that the model has never seen", page.text(".about"))
        page.click(".why")
        page.until("document.querySelector('.reasons .words')")
        self.assertIn("howls", page.text(".reasons .words"))
        self.assertQuiet(page)

    def test_the_graph_is_walked_by_clicks_and_by_keys(self):
        page = self.page("#/graph/red_dog")
        page.until("document.querySelectorAll('.node').length === 3")  # itself, dog and house
        page.until("document.querySelector('.panel h2')")
        self.assertEqual(page.text(".panel h2"), "red dog")
        page.click(".node[data-id=dog] .touch")
        page.until("document.querySelectorAll('.node').length > 8")
        page.until("document.querySelector('.panel h2').innerText === 'dog'")
        self.assertIn("open=dog", page.run("location.hash"))
        page.run("document.querySelector('.node[data-id=dog]').focus()")
        for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
            before = page.run("document.querySelector('.node.chosen').dataset.id")
            page.press(key)
            if page.run("document.querySelector('.node.chosen').dataset.id") != before:
                break
        chosen = page.run("document.activeElement.dataset.id")
        self.assertNotEqual(chosen, "dog")
        page.press("o")
        page.until(f"location.hash === '#/entity/{chosen}'")
        self.assertQuiet(page)

    def test_an_entity_is_added_lands_is_edited_and_removed(self):
        page = self.page("#/add")
        page.type("grey wolf")
        page.press("Tab")
        page.type("a grey animal that howls and hunts in packs")
        page.until("document.querySelectorAll('.landing .card').length >= 2")  # before it is saved
        self.assertEqual(page.run("document.querySelectorAll('.entity-form input')[1].value"), "grey_wolf")
        page.click(".entity-form .actions button.main")
        page.until("document.querySelector('h1').innerText === 'grey wolf is in the graph'")
        page.until("document.querySelectorAll('.landing .card').length >= 2")

        page.press("/")
        self.suggestion(page, "grey wolf")
        page.until("location.hash === '#/entity/grey_wolf' && document.querySelector('h1 .badge')")
        self.assertIn("howls", page.text("p.lead"))
        page.go(self.address + "/#/add/grey_wolf")
        page.until("document.querySelector('h1').innerText === 'Edit grey wolf'")
        page.click("fieldset button")
        self.suggestion(page, "is a kind of")
        self.suggestion(page, "animal")
        page.click(".entity-form .actions button.main")
        page.until("document.querySelector('h1').innerText === 'grey wolf has its new text'")
        page.go(self.address + "/#/entity/grey_wolf")
        page.until("document.querySelector('.facts .badge.live')")
        self.assertEqual(page.text(".facts a"), "animal")
        page.click(".facts .remove")
        page.until("document.querySelector('main .empty') && !document.querySelector('.facts')")

        page.run("window.confirm = () => true")
        page.click("button.danger")
        page.until("location.hash === '#/'")
        self.settled(page)
        self.assertQuiet(page)
        page.go(self.address + "/#/entity/grey_wolf")
        self.assertIn("grey_wolf", page.text(".trouble"))

    def test_an_id_that_is_taken_is_not_written_over(self):
        page = self.page("#/add")
        page.type("red dog")
        page.click(".entity-form .actions button.main")
        page.until("document.querySelector('.warning')")
        self.assertIn("already", page.text(".warning"))
        page.go(self.address + "/#/entity/red_dog")
        page.until("document.querySelector('h1').innerText === 'red dog'")

    def test_the_run_shows_its_scores_and_curve(self):
        page = self.page("#/run")
        page.until("document.querySelectorAll('figure svg.chart .marker').length >= 30")
        self.assertIn("MRR", page.text("main"))
        self.assertEqual(page.texts("td")[-4:][::2], ["is a kind of", "lives in"])
        self.assertQuiet(page)

    def test_a_run_of_one_epoch_says_that_a_curve_takes_two(self):
        copy = self.folder / "run-of-one-epoch"
        subprocess.run(["cp", "-r", self.run_folder, copy], check=True)
        metrics = copy / "metrics.jsonl"
        metrics.write_text(metrics.read_text().split("\n")[0] + "\n")
        with served(copy, "--read-only") as address:
            page = self.page("#/run", address=address)
            self.assertIn("Trained for a single epoch", page.text("main"))
            self.assertQuiet(page)

    # --- when something is wrong ------------------------------------------------------------------------------------
    def test_what_is_not_there_is_said_in_words(self):
        page = self.page("#/entity/unicorn")
        self.assertIn("unicorn", page.text(".trouble"))
        page.go(self.address + "/#/ask?head=red_dog&relation=flies_to")
        page.until("document.querySelector('.trouble')?.innerText.includes('flies_to')")
        page.go(self.address + "/#/nowhere")  # an address that somebody mistyped
        page.until("document.querySelector('.composer')")

    def test_a_question_with_a_gap_says_what_is_missing(self):
        page = self.page("#/ask")
        page.click(".composer button.main")
        self.assertEqual(page.text(".field-error"), "Choose an entity from the suggestions.")
        self.assertEqual(page.run("document.activeElement.getAttribute('aria-invalid')"), "true")

    def test_a_server_that_takes_no_changes_offers_none(self):
        with served(self.run_folder, "--read-only") as address:
            page = self.page("#/add", address=address)
            self.assertIn("takes no changes", page.text("main .empty"))
            page.go(address + "/#/entity/cat")
            page.until("document.querySelector('h1').innerText === 'cat'")
            self.assertNotIn("Edit", page.texts(".actions a"))
            self.assertQuiet(page)

    def test_a_server_that_went_away_is_said_and_can_be_tried_again(self):
        with served(self.run_folder, "--read-only") as address:  # the other one takes the run's changes
            page = self.page(address=address)
        page.go(address + "/#/entity/cat")
        page.until("document.querySelector('.trouble')")
        self.assertIn("does not answer", page.text(".trouble"))
        self.assertEqual(page.text(".trouble button"), "Try again")

    def test_tokens_are_asked_for_reading_and_writing_apart(self):
        for purpose in ("read", "write"):
            (self.folder / purpose).write_text(f"secret-to-{purpose}\n")
            (self.folder / purpose).chmod(0o600)
        copy = self.folder / "run-with-tokens"
        subprocess.run(["cp", "-r", self.run_folder, copy], check=True)
        (copy / "live.journal").unlink(missing_ok=True)
        with served(copy, "--read-token-file", self.folder / "read", "--write-token-file", self.folder / "write") as address:
            page = self.browser.page(DESK)
            self.addCleanup(page.close)
            page.go(address + "/#/entity/cat")
            self.give_token(page, "not the one", "This server asks for a token")
            page.until("document.querySelector('dialog')?.innerText.includes('does not open it')")
            self.give_token(page, "secret-to-read", "This server asks for a token")
            page.until("document.querySelector('h1')?.innerText === 'cat'")
            page.go(address + "/#/add/cat")
            page.until("document.querySelector('h1')?.innerText === 'Edit cat'")
            page.click(".entity-form .actions button.main")
            self.give_token(page, "secret-to-write", "Changing the graph needs a token")
            page.until("document.querySelector('h1')?.innerText === 'cat has its new text'")

    def give_token(self, page, token, title):
        page.until(f"document.querySelector('dialog h2')?.innerText === {json.dumps(title)} && document.activeElement.type === 'password'")
        page.type(token)
        page.press("Enter")

    # --- on every device --------------------------------------------------------------------------------------------
    PLACES = ["#/", "#/entity/dog", "#/ask?head=red_dog&relation=is_a&why=dog", "#/graph/dog", "#/add", "#/run"]

    def test_nothing_hangs_over_the_edge_of_a_phone(self):
        page = self.page(size=PHONE)
        long_name = ["#/entity/swift_bird", "#/ask?head=swift_bird&relation=is_a", "#/graph/swift_bird", "#/"]  # visited lately
        for place in self.PLACES + long_name:
            page.go(self.address + "/" + place)
            page.until("document.querySelector('h1')")
            self.settled(page)
            self.assertLessEqual(page.run("document.documentElement.scrollWidth"), PHONE[0], place)
        self.assertQuiet(page)

    def test_it_is_dark_where_the_system_is(self):
        brightness = "parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"
        self.assertLess(self.page(dark=True).run(brightness), 60)
        self.assertGreater(self.page().run(brightness), 200)

    def test_everything_that_can_be_used_has_a_name_for_a_screen_reader(self):
        page = self.page()
        for place in self.PLACES:
            page.go(self.address + "/" + place)
            page.until("document.querySelector('h1')")
            self.settled(page)
            nodes = page.call("Accessibility.getFullAXTree")["nodes"]
            role = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")]
            usable = {"button", "link", "textbox", "combobox", "switch", "checkbox", "radio", "searchbox", "img"}
            self.assertEqual([each for each in role if each[0] in usable and not each[1].strip()], [], place)
            self.assertEqual(page.run("document.querySelectorAll('h1').length"), 1, place)
            for landmark in ("banner", "navigation", "main", "search"):
                self.assertIn(landmark, {each[0] for each in role}, place)

    def test_no_text_of_the_graph_is_read_as_markup(self):
        markup = "<img src=x onerror=alert(1)><b>bold</b>"
        page = self.page("#/ask?" + "head_text=" + urllib.parse.quote(markup) + "&relation=is_a")
        page.until("document.querySelectorAll('li.answer').length === 10")
        self.assertIn(markup, page.text(".results-head"))
        self.assertEqual(page.run("document.querySelectorAll('main img').length"), 0)
        self.assertRaisesRegex(RuntimeError, "TrustedHTML", page.run, "document.body.innerHTML = '<p>'")


if __name__ == "__main__":
    unittest.main()

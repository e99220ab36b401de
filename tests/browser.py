"""Drives Chromium without a window, over the pipe of its DevTools protocol; nothing beyond Python's library is needed."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

KEYS = {  # name -> (code, Windows key code, text)
    "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "Tab": ("Tab", 9, ""), " ": ("Space", 32, " "),
    "ArrowDown": ("ArrowDown", 40, ""), "ArrowUp": ("ArrowUp", 38, ""), "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowRight": ("ArrowRight", 39, ""), "Backspace": ("Backspace", 8, "")}
PHONE, DESK = (390, 844), (1280, 860)
PATIENCE = 120  # seconds: for whatever must come, however busy the machine


def find_chromium():
    return next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)


def is_excused():
    """Whether tests may be skipped for want of a browser: tools/setup.sh can install one on Debian alone."""
    release = pathlib.Path("/etc/os-release")
    return os.environ.get("CI") != "true" or not release.is_file() or "ID=debian" not in release.read_text().split("\n")


class Browser:
    """One process; close() ends it."""

    def __init__(self, program):
        self._profile = tempfile.TemporaryDirectory(prefix="hasa-chromium-", ignore_cleanup_errors=True)
        commands, self._send = os.pipe()
        self._receive, events = os.pipe()

        def on_three_and_four():  # where Chromium looks for its pipe; first out of the way, lest one hide the other
            low, high = os.dup2(commands, 100), os.dup2(events, 101)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self._process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--mute-audio", "--force-color-profile=srgb", f"--user-data-dir={self._profile.name}", "about:blank"],
            preexec_fn=on_three_and_four, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(events)
        self._number, self._rest, self.listeners = 0, b"", []

    def close(self):
        try:
            self.call("Browser.close")
            self._process.wait(30)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._send)
        os.close(self._receive)
        self._profile.cleanup()

    def call(self, method, session=None, patience=PATIENCE, **parameters):
        """The result; events that come meanwhile go to the listeners."""
        self._number += 1
        number, message = self._number, {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + patience
        while True:
            for answer in self.messages(end - time.monotonic()):
                if answer.get("id") != number:
                    continue
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if time.monotonic() > end:
                raise RuntimeError(f"{method}: Chromium did not answer within {patience} s")

    def messages(self, patience):
        """What has come, after waiting for something to come."""
        ready, _, _ = select.select([self._receive], [], [], max(0, patience))
        if not ready:
            return []
        read = os.read(self._receive, 1 << 20)
        if not read:
            raise RuntimeError("Chromium has ended")
        *whole, self._rest = (self._rest + read).split(b"\0")
        found = [json.loads(each) for each in whole]
        for message in found:
            if "method" in message:
                for listener in self.listeners:
                    listener(message)
        return found

    def page(self, size=DESK, dark=False):
        return Page(self, size, dark)


class Page:
    """A tab: goes places, is typed and clicked into as by a person, and keeps what went wrong in .errors."""

    def __init__(self, browser, size, dark):
        self.browser, self.errors = browser, []
        context = browser.call("Target.createBrowserContext")["browserContextId"]  # storage of its own
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.listeners.append(self._heard)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        width, height = size
        is_phone = width < 600
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if is_phone else 1, mobile=is_phone)
        self.call("Emulation.setTouchEmulationEnabled", enabled=is_phone)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                          {"name": "prefers-reduced-motion", "value": "reduce"}])

    def close(self):
        self.browser.listeners.remove(self._heard)
        self.browser.call("Target.closeTarget", targetId=self.target)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def _heard(self, message):
        if message.get("sessionId") != self.session:
            return
        method, given = message["method"], message["params"]
        if method == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning"):
            self.errors.append(" ".join(str(each.get("value", each.get("description"))) for each in given["args"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{given['entry']['text']} {given['entry'].get('url', '')}")

    def go(self, address):
        self.call("Page.navigate", url=address)

    def run(self, script):
        """The value of an expression, awaited where it is a promise."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"].get("exception", {}).get("description", script))
        return done["result"].get("value")

    def until(self, script, patience=PATIENCE):
        """Waits until an expression is true, and returns it."""
        end = time.monotonic() + patience
        while True:
            try:
                value = self.run(f"(() => {{ const it = ({script}); return it instanceof Node ? true : it; }})()")
                if value:
                    return value
            except RuntimeError as error:  # the page is just being left
                if "context" not in str(error) and "null" not in str(error) and "undefined" not in str(error):
                    raise
            if time.monotonic() > end:
                text = self.run("document.body.innerText")
                raise AssertionError(f"never true within {patience} s: {script}\nerrors: {self.errors}\nthe page says:\n{text}")
            time.sleep(0.03)

    def text(self, selector):
        return self.until(f"document.querySelector({json.dumps(selector)})?.innerText")

    def texts(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((each) => each.innerText)")

    def click(self, selector, number=0):
        """In its middle, as a pointer does; so something that lies over it takes the click instead."""
        found = json.dumps(selector)
        self.until(f"document.querySelectorAll({found}).length > {number}")
        x, y = self.run(f"(() => {{ const it = document.querySelectorAll({found})[{number}]; it.scrollIntoView({{block: 'center', behavior: 'instant'}});"
                        "const box = it.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left",
                      buttons=1 if kind == "mousePressed" else 0, clickCount=0 if kind == "mouseMoved" else 1)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def press(self, key, *modifiers):
        code, number, text = KEYS.get(key, (f"Key{key.upper()}", ord(key.upper()[0]), key))
        given = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": 8 if "Shift" in modifiers else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **given, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def screenshot(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

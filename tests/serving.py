"""A server under test: started on a port that is free, asked, stopped, killed."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time
import urllib.parse

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])
PATIENCE = 300  # seconds: for whatever must come, however busy the machine
# What a busy machine must not trip over; tests of these limits set their own.
UNHURRIED = {"HASA_SERVE_TIMEOUT": "600", "HASA_SERVE_ARRIVAL_TIMEOUT": "600", "HASA_SERVE_IDLE_TIMEOUT": "600", "HASA_SERVE_GRACE": "200"}


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def kind(self):
        return self.json["error"]["kind"]

    @property
    def message(self):
        return self.json["error"]["message"]


class Server:
    """As a context it is stopped at the end, and its exit code is 0."""

    def __init__(self, run, *options, env=None, wait=True):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HASA_SERVE_")}
        self.process = subprocess.Popen([PROGRAM, "serve", str(run), "--port", "0", *map(str, options)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**environment, **UNHURRIED, **(env or {})})
        self.log, self._listening = [], threading.Event()
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        if not self._listening.wait(PATIENCE) or self.port is None:
            raise AssertionError(f"the server did not start: {self.errors()}")
        if wait:
            self.wait_until_ready()

    port = None

    def _read_log(self):
        for line in self.process.stderr:
            try:
                event = json.loads(line)
            except ValueError:
                event = {"event": "plain", "text": line}
            self.log.append(event)
            if event["event"] == "listening":
                self.port = event["port"]
                self._listening.set()
        self._listening.set()

    def errors(self):
        return "".join(str(each) + "\n" for each in self.log)

    def events(self, name):
        return [each for each in self.log if each["event"] == name]

    def wait_until_ready(self):
        deadline = time.monotonic() + PATIENCE
        while not self.is_ready():
            assert self.process.poll() is None and time.monotonic() < deadline, self.errors()
            time.sleep(0.02)

    def is_ready(self):
        try:
            return self.ask("GET", "/ready").status == 200
        except OSError:  # it has ended
            return False

    def connect(self, timeout=PATIENCE):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, connection=None):
        own = None if connection else self.connect()
        connection = connection or own
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            return Answer(connection.getresponse())
        finally:
            if own:
                own.close()

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, body, **options):
        return self.ask("POST", path, body, **options)

    def entity(self, entity_id):
        return self.get("/v1/entities/" + urllib.parse.quote(entity_id, safe=""))

    def put(self, entity_id, name, description="", **options):
        return self.ask("PUT", "/v1/entities/" + urllib.parse.quote(entity_id, safe=""),
                        {"name": name, "description": description}, **options)

    def stop(self, how=signal.SIGTERM):
        """Returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        code = self.stop()
        if kind is None:
            assert code == 0, f"exit code {code}: {self.errors()}"


def copy_of(run, folder):
    """Servers that take changes want a run of their own."""
    shutil.copytree(run, folder)
    return pathlib.Path(folder)

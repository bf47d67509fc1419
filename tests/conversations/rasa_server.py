"""A stand-in for the transport of a Rasa server alone: it speaks Rasa's HTTP interface and plays a stored tracker back, turn by turn."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

DATA = Path(__file__).parent / "data"


def events_of(name):
    stored = json.loads((DATA / name).read_text())
    return stored if isinstance(stored, list) else stored["events"]


class PlayedBack:
    """Plays a stored tracker to whoever says its messages in their order.

    Args:
        events: the stored events.
        answer: what a request gets instead of an answer: a function of the handler that returns whether it answered.
    """

    def __init__(self, events, slots=None, answer=None) -> None:
        self.slots = slots
        self.answer = answer
        self.requests: list[tuple[str, str, dict[str, list[str]], dict[str, str], object]] = []
        self.trackers: dict[str, list[dict]] = {}
        first = next(place for place, one in enumerate(events) if one["event"] == "user")
        self._start, rest = events[:first], events[first:]
        self._turns: list[list[dict]] = []
        for event in rest:
            if event["event"] == "user":
                self._turns.append([])
            self._turns[-1].append(event)

    @property
    def senders(self):
        return list(self.trackers)

    def sent(self, path):
        return [content for _, asked, _, _, content in self.requests if path in asked]

    def tracker(self, sender):
        return self.trackers.setdefault(sender, list(self._start))

    def reply(self, sender):
        events = self.tracker(sender)
        return {"sender_id": sender, "slots": self.slots, "events": events}

    def say(self, sender, text, metadata):
        events = self.tracker(sender)
        said = sum(one["event"] == "user" for one in events)
        turn = next(
            (one for one in self._turns[said:] if one[0]["text"] == text), [{"event": "user", "text": text, "metadata": {}}]
        )
        user = {**turn[0], "metadata": {**(turn[0].get("metadata") or {}), **metadata}}
        events += [user, *turn[1:]]
        return [{"recipient_id": sender, "text": one.get("text")} for one in turn if one["event"] == "bot"]


@contextlib.contextmanager
def serving(played):
    """The URL of a server on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self._handle("GET")

        def do_POST(self):
            self._handle("POST")

        def _handle(self, method):
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            content = json.loads(self.rfile.read(length)) if length else None
            played.requests.append((method, parts.path, parse_qs(parts.query), dict(self.headers), content))
            if played.answer is not None and played.answer(self):
                return
            if parts.path == "/webhooks/rest/webhook":
                self.reply(200, played.say(content["sender"], content["message"], content.get("metadata", {})))
                return
            sender = unquote(parts.path.split("/")[2])
            if method == "POST":
                played.tracker(sender).extend(content)
            self.reply(200, played.reply(sender))

        def reply(self, status, content, kind="application/json", length=None):
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""What every Python client of the matrix is asked to do, and how its answers are compared.

A client is a subclass of Client. run() tries every cell and prints one line of JSON for each: client, feature,
provider and verdict. The environment says where the gateway is and which keys there are.
"""

import base64
import json
import os
import re
import struct
import sys
import time
import urllib.request
import zlib

gateway = os.environ["GATEWAY_URL"]
key = os.environ["GATEWAY_KEY"]
control = os.environ["CONTROL_URL"]

providers = ["openai", "responses", "anthropic", "gemini"]
system = "Be brief."
tool_name = "weather"
tool_about = "The weather in a city"
city = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
said = "Hello there"
arguments = {"city": "Paris"}
spent = (30, 7)


def named(provider, name="model-1"):
    """The id of a model behind a provider. Ids are such that no package knows them and treats them in its own way."""
    return f"acme/{provider}-{name}"


class NotOffered(Exception):
    """The client has no such thing, or nobody could expect it: the cell is n.a. for this reason."""


class Answer:
    """What a client made of an answer; usage is (input, output), with the cached tokens among the input."""

    def __init__(self, text, usage=None, tool=None, request=None):
        self.text = text or ""
        self.usage = usage
        self.tool = tool
        self.request = request


class Question:
    """One call. The prompt is unlike any other, so that the provider's record of it can be found."""

    count = 0

    def __init__(self, model, stream=False, tool=False, schema=False, picture=None, temperature=None):
        Question.count += 1
        self.mark = f"{os.getpid()}-{Question.count}-"
        self.model = model
        self.prompt = f"Hello? {self.mark}"
        self.stream = stream
        self.tool = tool
        self.schema = schema
        self.picture = picture
        self.temperature = temperature
        self.result = f"Sunny {self.mark}"


def png():
    """A picture of eight by eight pixels."""

    def chunk(kind, body):
        whole = kind + body
        return struct.pack(">I", len(body)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + bytes(range(24)) for _ in range(8)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


picture_bytes = png()
picture_base64 = base64.b64encode(picture_bytes).decode()
"""What stands in it in both alphabets of base64: google-genai writes the one for addresses."""
picture_piece = max(re.split(r"[+/=]", picture_base64), key=len)
picture_data_url = f"data:image/png;base64,{picture_base64}"


class Client:
    """What a client may offer. What it leaves out is n.a. in the table."""

    name = ""
    """The models' provider that speaks the client's own protocol: its errors are passed through."""
    home = "openai"
    """Whether it asks again by itself where its own settings are kept."""
    retries = True
    """Whether it reads how long it is asked to wait."""
    waits = True

    def __init__(self, url=gateway, api_key=key, tries=None):
        self.url = url
        self.api_key = api_key
        """How often it may try, for what it would try again for half a minute; None: its own number."""
        self.tries = tries

    def ask(self, question):
        """One call; gives its Answer."""
        raise NotImplementedError

    def converse(self, question, then):
        """Asks with a tool, gives the tool's result back to the model `then`, and gives the second Answer."""
        raise NotOffered("no tools over two turns")

    def embed(self, model):
        """The embedding of a short text."""
        raise NotOffered("no embeddings")

    def models(self):
        """The ids of the models that it lists."""
        raise NotOffered("no list of models")

    def surfaces(self):
        """Further parts of its interface: names and functions that fail where the part does not work."""
        return {}


def tell(path, body=None):
    """Asks the runner's own server: what passed the front, and what the providers received."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(control + path, data=data)
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.load(reply)


def expect(condition, otherwise):
    """Fails the cell where the condition does not hold."""
    if not condition:
        raise AssertionError(otherwise)


def same(got, wanted, what):
    """Fails the cell where two values differ, and says how."""
    expect(got == wanted, f"{what} is {got!r} instead of {wanted!r}")


def was_sent(*texts):
    """Whether some provider received a request in which all the texts are."""
    return tell("/sent", {"texts": list(texts)})["found"]


def check_answer(answer, text=said, usage=spent):
    same(answer.text, text, "the text")
    same(answer.usage, usage, "the usage")


def check_tool(answer):
    expect(answer.tool, f"no call of the tool, but {answer.text!r}")
    same(answer.tool, (tool_name, arguments), "the call")


def whole(client, model):
    check_answer(client.ask(Question(model)))


def streamed(client, model):
    check_answer(client.ask(Question(model, stream=True)))


def tool(client, model):
    check_tool(client.ask(Question(model, tool=True)))


def tool_streamed(client, model):
    check_tool(client.ask(Question(model, tool=True, stream=True)))


def check_turns(client, question, then):
    check_answer(client.converse(question, then))
    expect(was_sent(question.result, question.mark), "the tool's result did not reach the provider")


def two_turns(client, model):
    check_turns(client, Question(model, tool=True), model)


def two_turns_streamed(client, model):
    check_turns(client, Question(model, tool=True, stream=True), model)


def model_switch(client, model):
    at = [named(provider) for provider in providers].index(model)
    for step in (1, 2):
        check_turns(client, Question(model, tool=True), named(providers[(at + step) % len(providers)]))


def schema(client, model):
    question = Question(model, schema=True)
    answer = client.ask(question)
    value = json.loads(answer.text) if answer.text.startswith("{") else answer.text
    same(value, arguments, "the value")
    expect(was_sent(question.mark, '"city"'), "the schema did not reach the provider")


def picture(client, model):
    question = Question(model, picture="bytes")
    check_answer(client.ask(question))
    expect(was_sent(question.mark, picture_piece), "the picture did not reach the provider")


chats = {
    "whole": whole,
    "streamed": streamed,
    "tool": tool,
    "tool, streamed": tool_streamed,
    "tool over two turns": two_turns,
    "tool over two turns, streamed": two_turns_streamed,
    "model switch after a tool's call": model_switch,
    "JSON schema": schema,
    "picture": picture,
}


def embedding(client, model):
    vector = client.embed(model)
    same([round(number, 6) for number in vector], [0.5, -0.25, 0.125, 1.0], "the vector")


def refused(client, question):
    """The exception of a call that is refused, and how many requests the client made for it."""
    before = tell("/requests")["count"]
    try:
        client.ask(question)
    except NotOffered:
        raise
    except Exception as error:  # noqa: BLE001: whatever a program would catch
        return error, tell("/requests")["count"] - before
    raise AssertionError("the call was not refused")


def causes(error):
    """An exception with those it was raised from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def status_of(error):
    """The HTTP status that a program can read from an exception, wherever its SDK keeps it."""
    for one in causes(error):
        for name in ("status_code", "code", "status", "http_status"):
            value = getattr(one, name, None)
            if isinstance(value, int) and 400 <= value < 600:
                return value
        # botocore keeps a dictionary.
        response = getattr(one, "response", None)
        if isinstance(response, dict) and "ResponseMetadata" in response:
            return response["ResponseMetadata"]["HTTPStatusCode"]
    return None


def check_refusal(status, words, once=True):
    """A check of an exception: its status, words of ours in its message, and that it was not asked again."""

    def check(client, question):
        error, requests = refused(client, question)
        shown = " ".join(str(one) for one in causes(error))
        same(status_of(error), status, f"the status of {type(error).__name__}")
        expect(re.search(words, shown, re.I), f"{type(error).__name__} does not say {words!r}: {shown}")
        if once:
            same(requests, 1, "the number of requests")
        return type(error).__name__

    return check


def check_recovery(client, question, wait):
    """A provider that fails once: a client that asks again by itself waits so many seconds and is answered."""
    before = tell("/requests")["count"]
    check_answer(client.ask(question))
    after = tell("/requests")
    same(after["count"] - before, 2, "the number of requests")
    expect(after["pause"] >= wait, f"it came again before the {wait} s that the provider asked for")


def errors(client):
    """The cells of the section of errors: a column and what to try."""
    cls, home = type(client), client.home

    def as_key(name):
        return cls(api_key=os.environ[name], tries=1)

    def recovers(model, wait):
        def check():
            if not client.retries:
                raise NotOffered("it does not ask again by itself")
            check_recovery(client, Question(named(home, model)), wait if client.waits else 0)
            if wait and not client.waits:
                raise NotOffered("it asks again, but does not read retry-after")

        return check

    good = named(home)
    return {
        "wrong key": lambda: check_refusal(401, "key")(cls(api_key="sk-payg-wrong"), Question(good)),
        "no balance": lambda: check_refusal(402, "balance")(as_key("POOR_KEY"), Question(good)),
        "quota used up": lambda: check_refusal(429, "quota", once=False)(as_key("EMPTY_KEY"), Question(good)),
        "unknown model": lambda: check_refusal(404, "model")(client, Question(named(home, "none"))),
        "bad field": lambda: check_refusal(400, "temperature")(client, Question(good, temperature=7.0)),
        "too long": lambda: check_refusal(400, "context length|too long|token count")(
            client, Question(named(home, "too-long"))
        ),
        "provider limited once": recovers("limited-once", 1),
        "provider down once": recovers("down-once", 0),
    }


def listed(client):
    ids = client.models()
    expect(named("anthropic") in ids, f"{named('anthropic')} is not among {ids[:3]}")


def request_id(client):
    answer = client.ask(Question(named(client.home)))
    if answer.request is None:
        raise NotOffered("it shows none")
    expect(str(answer.request).startswith("req_"), f"it shows {answer.request!r}")


def told(error):
    """An exception in a line that is the same in every run."""
    text = f"{type(error).__name__}: {error}"
    text = re.sub(r"(req|VTK|chatcmpl|resp|msg)[_-][0-9A-Za-z]+", r"\1_…", text)
    text = re.sub(r"127\.0\.0\.1:\d+", "gateway", text)
    text = re.sub(r"\d+-\d+-", "", text)
    text = re.sub(r"0x[0-9a-f]+", "0x…", text)
    return re.sub(r"\s+", " ", text)[:160].strip()


class Run:
    """Tries the cells of one client and prints them."""

    def __init__(self, client):
        self.client = client

    def cell(self, feature, provider, check):
        started = time.monotonic()
        try:
            seen = check()
            verdict = f"ok: {seen}" if seen else "ok"
        except NotOffered as reason:
            verdict = f"n.a.: {reason}"
        except BaseException as error:  # noqa: BLE001: the table says what failed
            verdict = f"fails: {told(error)}"
            if isinstance(error, KeyboardInterrupt):
                raise
        line = {"client": self.client.name, "feature": feature, "provider": provider, "verdict": verdict}
        line["seconds"] = round(time.monotonic() - started, 2)
        print(json.dumps(line), flush=True)

    def every(self):
        client = self.client
        for feature, check in chats.items():
            for provider in providers:
                self.cell(feature, provider, lambda c=check, p=provider: c(client, named(p)))
        for provider in ("openai", "gemini"):
            self.cell("embeddings", provider, lambda p=provider: embedding(client, named(p, "embedding-1")))
        for column, check in errors(client).items():
            self.cell("errors", column, check)
        self.cell("its own surface", "models", lambda: listed(client))
        self.cell("its own surface", "request id", lambda: request_id(client))
        for column, check in client.surfaces().items():
            self.cell("its own surface", column, check)


def run(client_class):
    """Runs the whole of one client."""
    Run(client_class()).every()


def main(module, *classes):
    """Runs the clients of a file whose names are given as words, or all of them."""
    if module != "__main__":
        return
    wanted = sys.argv[1:]
    for client_class in classes:
        if not wanted or client_class.name in wanted:
            run(client_class)

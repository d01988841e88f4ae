"""LiteLLM: the same calls by way of each of its providers that takes a base URL."""

import json

import litellm

from checks import Answer, Client, NotOffered, main
from openai_sdk import after_call, chat_answer, chat_parameters, gathered

litellm.telemetry = False
litellm.suppress_debug_info = True


class LiteLlm(Client):
    """`route` is LiteLLM's name of a provider, `base` the path of the base URL that works with it."""

    route, base = "openai", "/v1"

    def settings(self, model):
        return {"model": f"{self.route}/{model}", "api_base": self.url + self.base, "api_key": self.api_key}

    def complete(self, parameters, stream):
        """The Answer, and the call of a tool as [id, name, arguments]."""
        parameters = {**parameters, **self.settings(parameters["model"])}
        if not stream:
            completion = litellm.completion(**parameters)
            calls = completion.choices[0].message.tool_calls
            call = calls and [calls[0].id, calls[0].function.name, calls[0].function.arguments]
            headers = completion._hidden_params.get("additional_headers") or {}
            return chat_answer(completion, headers.get("llm_provider-x-request-id")), call
        options = {"include_usage": True}
        chunks = list(litellm.completion(**parameters, stream=True, stream_options=options))
        text, call, usage = gathered([Chunk(chunk) for chunk in chunks])
        return Answer(text, usage, call and (call[1], json.loads(call[2]))), call

    def ask(self, question):
        return self.complete(chat_parameters(question), question.stream)[0]

    def converse(self, question, then):
        parameters = chat_parameters(question)
        first, call = self.complete(parameters, question.stream)
        history = after_call(parameters["messages"], first.text, call, question.result)
        return self.complete({**parameters, "model": then, "messages": history}, question.stream)[0]

    def embed(self, model):
        answer = litellm.embedding(input=["Hello?"], encoding_format="float", **self.settings(model))
        return answer.data[0]["embedding"]


class Chunk:
    """A chunk whose usage is None where LiteLLM leaves the attribute out."""

    def __init__(self, chunk):
        self.usage = getattr(chunk, "usage", None)
        self.choices = chunk.choices


class ThroughOpenAi(LiteLlm):
    name = "litellm 1, openai/"


class ThroughAnthropic(LiteLlm):
    name = "litellm 1, anthropic/"
    route, base, home, retries = "anthropic", "", "anthropic", False

    def embed(self, model):
        raise NotOffered("Anthropic has no embeddings")


class ThroughGemini(LiteLlm):
    name = "litellm 1, gemini/"
    route, base, home, retries = "gemini", "/api/v1beta", "gemini", False

    def ask(self, question):
        if question.schema:
            raise NotOffered("it asks models that it does not know for JSON in words")
        return super().ask(question)

    def embed(self, model):
        answer = litellm.embedding(input=["Hello?"], **self.settings(model))
        return answer.data[0]["embedding"]


main(__name__, ThroughOpenAi, ThroughAnthropic, ThroughGemini)

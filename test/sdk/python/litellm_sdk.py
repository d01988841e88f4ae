"""LiteLLM: the same calls by way of each of its providers that takes a base URL."""

import litellm

from checks import NotOffered, main
from openai_sdk import ChatForm, streamed, whole

litellm.telemetry = False
litellm.suppress_debug_info = True


class LiteLlm(ChatForm):
    """`route` is LiteLLM's name of a provider, `base` the path of the base URL that works with it."""

    route, base = "openai", "/v1"

    def settings(self, model):
        return {"model": f"{self.route}/{model}", "api_base": self.url + self.base, "api_key": self.api_key}

    def complete(self, parameters, stream):
        parameters = {**parameters, **self.settings(parameters["model"])}
        if stream:
            options = {"include_usage": True}
            return streamed(Chunk(chunk) for chunk in litellm.completion(**parameters, stream=True, stream_options=options))
        completion = litellm.completion(**parameters)
        headers = completion._hidden_params.get("additional_headers") or {}
        return whole(completion, headers.get("llm_provider-x-request-id"))

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

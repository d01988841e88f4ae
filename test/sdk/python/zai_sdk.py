"""Zhipu's zai-sdk package."""

import json
from functools import cached_property

from zai import ZhipuAiClient

from checks import Answer, Client, NotOffered, main, named, same
from openai_sdk import after_call, chat_answer, chat_parameters, gathered


class ZaiChat(Client):
    name = "zai-sdk 0"
    waits = False

    @cached_property
    def client(self):
        return ZhipuAiClient(base_url=f"{self.url}/api/paas/v4", api_key=self.api_key)

    def complete(self, parameters, stream):
        """The Answer, and the call of a tool as [id, name, arguments]."""
        completions = self.client.chat.completions
        if not stream:
            completion = completions.create(**parameters)
            calls = completion.choices[0].message.tool_calls
            call = calls and [calls[0].id, calls[0].function.name, calls[0].function.arguments]
            return chat_answer(completion, getattr(completion, "request_id", None)), call
        text, call, usage = gathered(completions.create(**parameters, stream=True))
        return Answer(text, usage, call and (call[1], json.loads(call[2]))), call

    def ask(self, question):
        if question.temperature is not None:
            raise NotOffered("the package corrects the field itself")
        return self.complete(chat_parameters(question), question.stream)[0]

    def converse(self, question, then):
        parameters = chat_parameters(question)
        first, call = self.complete(parameters, question.stream)
        history = after_call(parameters["messages"], first.text, call, question.result)
        return self.complete({**parameters, "model": then, "messages": history}, question.stream)[0]

    def embed(self, model):
        return self.client.embeddings.create(model=model, input="Hello?").data[0].embedding

    def surfaces(self):
        def image():
            made = self.client.images.generations(model=named("zhipu", "image-1"), prompt="A cat")
            same(made.data[0].url, "https://pictures.example/1.png", "the address")

        return {"images": image}


main(__name__, ZaiChat)

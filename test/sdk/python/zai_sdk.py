"""Zhipu's zai-sdk package."""

from functools import cached_property

from zai import ZhipuAiClient

from checks import NotOffered, main, named, same
from openai_sdk import ChatForm, streamed, whole


class ZaiChat(ChatForm):
    name = "zai-sdk 0"
    waits = False

    @cached_property
    def client(self):
        return ZhipuAiClient(base_url=f"{self.url}/api/paas/v4", api_key=self.api_key)

    def complete(self, parameters, stream):
        completions = self.client.chat.completions
        if stream:
            return streamed(completions.create(**parameters, stream=True))
        completion = completions.create(**parameters)
        return whole(completion, getattr(completion, "request_id", None))

    def ask(self, question):
        if question.temperature is not None:
            raise NotOffered("the package corrects the field itself")
        return super().ask(question)

    def embed(self, model):
        return self.client.embeddings.create(model=model, input="Hello?").data[0].embedding

    def surfaces(self):
        def image():
            made = self.client.images.generations(model=named("zhipu", "image-1"), prompt="A cat")
            same(made.data[0].url, "https://pictures.example/1.png", "the address")

        return {"images": image}


main(__name__, ZaiChat)

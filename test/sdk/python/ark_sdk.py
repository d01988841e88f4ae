"""Volcengine's Ark package."""

import json
import time
from functools import cached_property

from volcenginesdkarkruntime import Ark

from checks import Answer, Client, main, named, picture_data_url, same, spent
from openai_sdk import after_call, chat_answer, chat_parameters, gathered


class ArkChat(Client):
    name = "volcengine ark 5"
    waits = False

    @cached_property
    def client(self):
        return Ark(base_url=f"{self.url}/api/v3", api_key=self.api_key)

    def complete(self, parameters, stream):
        """The Answer, and the call of a tool as [id, name, arguments]."""
        completions = self.client.chat.completions
        if not stream:
            completion = completions.create(**parameters)
            calls = completion.choices[0].message.tool_calls
            call = calls and [calls[0].id, calls[0].function.name, calls[0].function.arguments]
            return chat_answer(completion, getattr(completion, "_request_id", None)), call
        options = {"include_usage": True}
        text, call, usage = gathered(completions.create(**parameters, stream=True, stream_options=options))
        return Answer(text, usage, call and (call[1], json.loads(call[2]))), call

    def ask(self, question):
        return self.complete(chat_parameters(question), question.stream)[0]

    def converse(self, question, then):
        parameters = chat_parameters(question)
        first, call = self.complete(parameters, question.stream)
        history = after_call(parameters["messages"], first.text, call, question.result)
        return self.complete({**parameters, "model": then, "messages": history}, question.stream)[0]

    def embed(self, model):
        return self.client.embeddings.create(model=model, input=["Hello?"]).data[0].embedding

    def surfaces(self):
        model = named("ark", "embedding-1")

        def embeddings():
            same(self.embed(model)[:2], [0.5, -0.25], "the vector")

        def multimodal():
            given = [{"type": "text", "text": "Hello?"}, {"type": "image_url", "image_url": {"url": picture_data_url}}]
            answer = self.client.multimodal_embeddings.create(model=named("ark", "vision-1"), input=given)
            same(list(answer.data.embedding)[:2], [0.5, -0.25], "the vector")

        def responses():
            answer = self.client.responses.create(model=named("responses"), input="Hello?")
            said = [part.text for item in answer.output if item.type == "message" for part in item.content]
            same(("".join(said), (answer.usage.input_tokens, answer.usage.output_tokens)), ("Hello there", spent), "the answer")

        def image():
            made = self.client.images.generate(model=named("ark", "image-1"), prompt="A cat", size="2K", watermark=False)
            assert made.data[0].url.startswith("https://"), "no address"
            same(made.usage.generated_images, 1, "the count")

        def images_streamed():
            events = list(self.client.images.generate(model=named("ark", "image-1"), prompt="A cat", size="2K", stream=True))
            same(events[-1].type, "image_generation.completed", "the last event")
            same(dict(events[-1].usage)["generated_images"], 1, "the count")

        def video():
            tasks = self.client.content_generation.tasks
            made = tasks.create(model=named("ark", "video-1"), content=[{"type": "text", "text": "A cat in the rain"}])
            until = time.monotonic() + 30
            task = tasks.get(task_id=made.id)
            while task.status in ("queued", "running") and time.monotonic() < until:
                time.sleep(0.05)
                task = tasks.get(task_id=made.id)
            assert task.status in ("succeed", "succeeded"), f"the task is {task.status}"
            listed = [item.id for item in tasks.list().items]
            assert made.id in listed, "the task is not in the list"

        def video_address():
            """The package's own form keeps the address in `content`, and the contract's in `result`."""
            tasks = self.client.content_generation.tasks
            made = tasks.create(model=named("ark", "video-1"), content=[{"type": "text", "text": "A cat"}])
            until = time.monotonic() + 30
            task = tasks.get(task_id=made.id)
            while task.status in ("queued", "running") and time.monotonic() < until:
                time.sleep(0.05)
                task = tasks.get(task_id=made.id)
            assert task.result["video_url"].startswith("http"), "no address"

        return {
            "embeddings": embeddings,
            "multimodal embeddings": multimodal,
            "responses": responses,
            "images": image,
            "images, streamed": images_streamed,
            "video task": video,
            "video's address": video_address,
        }


main(__name__, ArkChat)

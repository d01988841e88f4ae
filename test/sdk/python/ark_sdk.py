"""Volcengine's Ark package."""

import time
from functools import cached_property

from volcenginesdkarkruntime import Ark

from checks import main, named, picture_data_url, same, spent
from openai_sdk import ChatForm, streamed, whole


class ArkChat(ChatForm):
    name = "volcengine ark 5"
    waits = False

    @cached_property
    def client(self):
        return Ark(base_url=f"{self.url}/api/v3", api_key=self.api_key)

    def complete(self, parameters, stream):
        completions = self.client.chat.completions
        if stream:
            return streamed(completions.create(**parameters, stream=True, stream_options={"include_usage": True}))
        completion = completions.create(**parameters)
        return whole(completion, getattr(completion, "_request_id", None))

    def embed(self, model):
        return self.client.embeddings.create(model=model, input=["Hello?"]).data[0].embedding

    def made_video(self, prompt):
        """The task of a video once it has ended, or after half a minute."""
        tasks = self.client.content_generation.tasks
        made = tasks.create(model=named("ark", "video-1"), content=[{"type": "text", "text": prompt}])
        until = time.monotonic() + 30
        task = tasks.get(task_id=made.id)
        while task.status in ("queued", "running") and time.monotonic() < until:
            time.sleep(0.05)
            task = tasks.get(task_id=made.id)
        same(task.id, made.id, "the id of the task")
        return task

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
            task = self.made_video("A cat in the rain")
            assert task.status in ("succeed", "succeeded"), f"the task is {task.status}"
            listed = [item.id for item in self.client.content_generation.tasks.list().items]
            assert task.id in listed, "the task is not in the list"

        def video_address():
            """The package's own form keeps the address in `content`, and the contract's in `result`."""
            task = self.made_video("A cat")
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

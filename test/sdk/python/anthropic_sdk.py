"""The anthropic package."""

from functools import cached_property

import anthropic
from checks import Answer, Client, city, main, named, picture_base64, system, tool_about, tool_name

major = anthropic.__version__.split(".")[0]


def message_answer(message):
    """The Answer of a whole message."""
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [block for block in message.content if block.type == "tool_use"]
    tool = (calls[0].name, calls[0].input) if calls else None
    usage = message.usage
    spent = (usage.input_tokens + (usage.cache_read_input_tokens or 0), usage.output_tokens)
    return Answer(text, spent, tool, getattr(message, "_request_id", None))


class AnthropicMessages(Client):
    name = f"anthropic {major}"
    home = "anthropic"

    @cached_property
    def client(self):
        return anthropic.Anthropic(base_url=self.url, api_key=self.api_key)

    def parameters(self, question):
        content = [{"type": "text", "text": question.prompt}]
        if question.picture:
            source = {"type": "base64", "media_type": "image/png", "data": picture_base64}
            content.append({"type": "image", "source": source})
        parameters = {
            "model": question.model,
            "max_tokens": 1000,
            "system": system,
            "messages": [{"role": "user", "content": content}],
        }
        if question.tool:
            parameters["tools"] = [{"name": tool_name, "description": tool_about, "input_schema": city}]
        if question.schema:
            parameters["output_config"] = {"format": {"type": "json_schema", "schema": city}}
        if question.temperature is not None:
            # The package has no such parameter any more.
            parameters["extra_body"] = {"temperature": question.temperature}
        return parameters

    def create(self, parameters, stream):
        messages = self.client.messages
        if not stream:
            return messages.create(**parameters)
        with messages.stream(**parameters) as events:
            for _ in events.text_stream:
                pass
            return events.get_final_message()

    def ask(self, question):
        return message_answer(self.create(self.parameters(question), question.stream))

    def converse(self, question, then):
        parameters = self.parameters(question)
        first = self.create(parameters, question.stream)
        call = next(block for block in first.content if block.type == "tool_use")
        result = {"type": "tool_result", "tool_use_id": call.id, "content": question.result}
        history = [
            *parameters["messages"],
            {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in first.content]},
            {"role": "user", "content": [result]},
        ]
        return message_answer(self.create({**parameters, "model": then, "messages": history}, question.stream))

    def models(self):
        listed = list(self.client.models.list())
        # A field that the answer lacks is an attribute that cannot be read.
        for model in listed:
            assert model.display_name and model.created_at.year >= 2025, f"{model.id} has no time or name"
        return [model.id for model in listed]

    def surfaces(self):
        def count():
            counted = self.client.messages.count_tokens(
                model=named("anthropic"), messages=[{"role": "user", "content": "Hello?"}]
            )
            assert counted.input_tokens > 0, "no tokens"

        return {"count of tokens": count}


main(__name__, AnthropicMessages)

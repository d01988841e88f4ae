"""The openai package: chat completions and Responses."""

import base64
import json
from functools import cached_property

import openai
from checks import Answer, Client, city, main, named, picture_data_url, system, tool_about, tool_name

major = openai.__version__.split(".")[0]


def chat_parameters(question):
    """The parameters of a chat completion that the question asks for."""
    content = question.prompt
    if question.picture:
        content = [
            {"type": "text", "text": question.prompt},
            {"type": "image_url", "image_url": {"url": picture_data_url}},
        ]
    messages = [{"role": "system", "content": system}, {"role": "user", "content": content}]
    parameters = {"model": question.model, "messages": messages}
    if question.tool:
        function = {"name": tool_name, "description": tool_about, "parameters": city}
        parameters["tools"] = [{"type": "function", "function": function}]
    if question.schema:
        json_schema = {"name": "city", "schema": city, "strict": True}
        parameters["response_format"] = {"type": "json_schema", "json_schema": json_schema}
    if question.temperature is not None:
        parameters["temperature"] = question.temperature
    return parameters


def chat_answer(completion, request=None):
    """The Answer of a whole chat completion, as an object of OpenAI's form."""
    message = completion.choices[0].message
    calls = message.tool_calls or []
    tool = (calls[0].function.name, json.loads(calls[0].function.arguments)) if calls else None
    usage = completion.usage and (completion.usage.prompt_tokens, completion.usage.completion_tokens)
    return Answer(message.content, usage, tool, request)


def gathered(chunks):
    """A stream of chat chunks as text, the call of a tool as [id, name, arguments], and usage."""
    text, call, usage = "", None, None
    for chunk in chunks:
        usage = (chunk.usage.prompt_tokens, chunk.usage.completion_tokens) if chunk.usage else usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for piece in choice.delta.tool_calls or []:
                call = call or [piece.id, piece.function.name, ""]
                call[2] += piece.function.arguments or ""
    return text, call, usage


def after_call(messages, text, call, result):
    """The history of a second turn: what was asked, the call, and its result."""
    identity, name, given = call
    function = {"name": name, "arguments": given}
    turn = {"role": "assistant", "content": text, "tool_calls": [{"id": identity, "type": "function", "function": function}]}
    return [*messages, turn, {"role": "tool", "tool_call_id": identity, "content": result}]


def whole(completion, request):
    """The Answer of a whole chat completion, and the call of a tool as [id, name, arguments]."""
    calls = completion.choices[0].message.tool_calls
    call = calls and [calls[0].id, calls[0].function.name, calls[0].function.arguments]
    return chat_answer(completion, request), call


def streamed(chunks):
    """The same of a stream of chat chunks."""
    text, call, usage = gathered(chunks)
    return Answer(text, usage, call and (call[1], json.loads(call[2]))), call


class ChatForm(Client):
    """Another package that speaks OpenAI's chat form. Its history is written by hand, as its documentation shows it."""

    def complete(self, parameters, stream):
        """What `whole` or `streamed` makes of one call."""
        raise NotImplementedError

    def ask(self, question):
        return self.complete(chat_parameters(question), question.stream)[0]

    def converse(self, question, then):
        parameters = chat_parameters(question)
        first, call = self.complete(parameters, question.stream)
        history = after_call(parameters["messages"], first.text, call, question.result)
        return self.complete({**parameters, "model": then, "messages": history}, question.stream)[0]


class OpenAiChat(Client):
    name = f"openai {major}, chat"

    @cached_property
    def client(self):
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key=self.api_key)

    def complete(self, parameters, stream):
        completions = self.client.chat.completions
        if not stream:
            raw = completions.with_raw_response.create(**parameters)
            completion = raw.parse()
            return completion, completion._request_id
        with completions.stream(**parameters, stream_options={"include_usage": True}) as events:
            for _ in events:
                pass
            return events.get_final_completion(), None

    def ask(self, question):
        if question.schema:
            completion = self.client.chat.completions.create(**chat_parameters(question))
            return chat_answer(completion, completion._request_id)
        return chat_answer(*self.complete(chat_parameters(question), question.stream))

    def converse(self, question, then):
        parameters = chat_parameters(question)
        completion, _ = self.complete(parameters, question.stream)
        message = completion.choices[0].message
        turn = message.model_dump(exclude_none=True, exclude={"parsed"})
        for call in turn["tool_calls"]:
            call["function"].pop("parsed_arguments", None)
        result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": question.result}
        history = [*parameters["messages"], turn, result]
        return chat_answer(*self.complete({**parameters, "model": then, "messages": history}, question.stream))

    def embed(self, model):
        return self.client.embeddings.create(model=model, input="Hello?").data[0].embedding

    def models(self):
        return [model.id for model in self.client.models.list()]

    def surfaces(self):
        def image():
            made = self.client.images.generate(model=named("openai", "image-1"), prompt="A cat", n=1)
            assert base64.b64decode(made.data[0].b64_json or ""), "no picture"

        return {"images": image}


class OpenAiResponses(Client):
    name = f"openai {major}, responses"
    home = "responses"

    @cached_property
    def client(self):
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key=self.api_key)

    def parameters(self, question):
        content = [{"type": "input_text", "text": question.prompt}]
        if question.picture:
            content.append({"type": "input_image", "image_url": picture_data_url, "detail": "auto"})
        parameters = {
            "model": question.model,
            "instructions": system,
            "input": [{"role": "user", "content": content}],
            "store": False,
        }
        if question.tool:
            parameters["tools"] = [
                {"type": "function", "name": tool_name, "description": tool_about, "parameters": city, "strict": False}
            ]
        if question.schema:
            parameters["text"] = {"format": {"type": "json_schema", "name": "city", "schema": city, "strict": True}}
        if question.temperature is not None:
            parameters["temperature"] = question.temperature
        return parameters

    def respond(self, parameters, stream):
        responses = self.client.responses
        if not stream:
            return responses.create(**parameters)
        with responses.stream(**parameters) as events:
            return events.get_final_response()

    def answer(self, response):
        calls = [item for item in response.output if item.type == "function_call"]
        tool = (calls[0].name, json.loads(calls[0].arguments)) if calls else None
        usage = (response.usage.input_tokens, response.usage.output_tokens)
        return Answer(response.output_text, usage, tool, getattr(response, "_request_id", None))

    def ask(self, question):
        return self.answer(self.respond(self.parameters(question), question.stream))

    def converse(self, question, then):
        parameters = self.parameters(question)
        first = self.respond(parameters, question.stream)
        output = [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in first.output]
        for item in output:
            for part in item.get("content") or []:
                part.pop("parsed", None)
        call = next(item for item in first.output if item.type == "function_call")
        result = {"type": "function_call_output", "call_id": call.call_id, "output": question.result}
        history = [*parameters["input"], *output, result]
        return self.answer(self.respond({**parameters, "model": then, "input": history}, question.stream))


main(__name__, OpenAiChat, OpenAiResponses)

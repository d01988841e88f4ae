"""What all of LangChain's packages do alike: its messages, its tools and its streams."""

import json

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool

from checks import Answer, Client, city, picture_base64, system, tool_about, tool_name

weather = StructuredTool(name=tool_name, description=tool_about, args_schema=city, func=lambda city: city)


class LangChain(Client):
    """`chat` makes the model of a package, as its documentation shows it."""

    def chat(self, model, **settings):
        raise NotImplementedError

    def messages(self, question):
        content = question.prompt
        if question.picture:
            image = {"type": "image", "base64": picture_base64, "mime_type": "image/png"}
            content = [{"type": "text", "text": question.prompt}, image]
        return [SystemMessage(system), HumanMessage(content)]

    def bound(self, question, model):
        settings = {} if question.temperature is None else {"temperature": question.temperature}
        chat = self.chat(model, **settings)
        return chat.bind_tools([weather]) if question.tool else chat

    def heard(self, runnable, messages, stream):
        if not stream:
            return runnable.invoke(messages)
        message = None
        for chunk in runnable.stream(messages):
            message = chunk if message is None else message + chunk
        return message

    def answer(self, message):
        calls = message.tool_calls
        usage = message.usage_metadata
        tool = (calls[0]["name"], calls[0]["args"]) if calls else None
        headers = message.response_metadata.get("headers") or {}
        spent = usage and (usage["input_tokens"], usage["output_tokens"])
        return Answer(message.text, spent, tool, headers.get("x-request-id"))

    def ask(self, question):
        if question.schema:
            titled = {**city, "title": "city", "description": "A city"}
            shaped = self.chat(question.model).with_structured_output(titled, method="json_schema")
            return Answer(json.dumps(shaped.invoke(self.messages(question))))
        return self.answer(self.heard(self.bound(question, question.model), self.messages(question), question.stream))

    def converse(self, question, then):
        messages = self.messages(question)
        first = self.heard(self.bound(question, question.model), messages, question.stream)
        result = ToolMessage(question.result, tool_call_id=first.tool_calls[0]["id"])
        history = [*messages, first, result]
        return self.answer(self.heard(self.bound(question, then), history, question.stream))

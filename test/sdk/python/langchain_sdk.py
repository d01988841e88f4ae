"""LangChain's three packages."""

import json

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_google_genai import ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

from checks import Answer, Client, NotOffered, city, main, picture_base64, system, tool_about, tool_name

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


class LangChainOpenAi(LangChain):
    name = "langchain-openai 1"

    def chat(self, model, **settings):
        return ChatOpenAI(
            model=model, base_url=f"{self.url}/v1", api_key=self.api_key, include_response_headers=True, **settings
        )

    def embed(self, model):
        # Without this it sends tokens of OpenAI's own, which it also says in its documentation.
        embeddings = OpenAIEmbeddings(
            model=model, base_url=f"{self.url}/v1", api_key=self.api_key, check_embedding_ctx_length=False
        )
        return embeddings.embed_query("Hello?")


class LangChainResponses(LangChainOpenAi):
    name = "langchain-openai 1, responses"
    home = "responses"

    def chat(self, model, **settings):
        return super().chat(model, use_responses_api=True, **settings)

    def embed(self, model):
        raise NotOffered("as above")


class LangChainAnthropic(LangChain):
    name = "langchain-anthropic 1"
    home = "anthropic"

    def chat(self, model, **settings):
        return ChatAnthropic(model=model, base_url=self.url, api_key=self.api_key, max_tokens=1000, **settings)

    def embed(self, model):
        raise NotOffered("Anthropic has no embeddings")


class LangChainGoogle(LangChain):
    name = "langchain-google-genai 4"
    home = "gemini"

    def ask(self, question):
        if question.temperature is not None:
            raise NotOffered("the package refuses the field itself")
        return super().ask(question)

    def chat(self, model, **settings):
        if self.tries:
            settings["max_retries"] = self.tries
        return ChatGoogleGenerativeAI(
            model=model, base_url=f"{self.url}/api", google_api_key=self.api_key, **settings
        )

    def embed(self, model):
        embeddings = GoogleGenerativeAIEmbeddings(
            model=model, base_url=f"{self.url}/api", google_api_key=self.api_key
        )
        return embeddings.embed_query("Hello?")


main(__name__, LangChainOpenAi, LangChainResponses, LangChainAnthropic, LangChainGoogle)

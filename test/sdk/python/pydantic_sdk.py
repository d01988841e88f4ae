"""pydantic-ai: agents that run their own loop over each of its providers."""

import asyncio

from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, NativeOutput
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

from checks import Answer, Client, NotOffered, main, picture_bytes, system, tool_name


class City(BaseModel):
    city: str


class PydanticAi(Client):
    """The agent calls the tool itself, so that one run is both turns."""

    def model(self, name):
        raise NotImplementedError

    def run(self, question, model, tools=(), history=None, output=str):
        settings = {} if question.temperature is None else {"temperature": question.temperature}
        agent = Agent(self.model(model), instructions=system, tools=tools, output_type=output, model_settings=settings)
        prompt = [question.prompt]
        if question.picture:
            prompt.append(BinaryContent(picture_bytes, media_type="image/png"))

        async def listen(_, events):
            async for _ in events:
                pass

        async def go():
            # An agent that is listened to streams its answers.
            listener = listen if question.stream else None
            result = await agent.run(prompt, message_history=history, event_stream_handler=listener)
            return result.output, result

        return asyncio.run(go())

    def ask(self, question):
        if question.tool:
            raise NotOffered("the agent calls the tool itself: see the next sections")
        if question.schema:
            output, _ = self.run(question, question.model, output=NativeOutput(City))
            return Answer(output.model_dump_json())
        output, result = self.run(question, question.model)
        return Answer(output, self.of_each(result))

    def converse(self, question, then):
        def weather(city: str) -> str:
            """The weather in a city."""
            assert city == "Paris", f"the tool was asked for {city!r}"
            return question.result

        weather.__name__ = tool_name
        output, result = self.run(question, question.model, tools=[weather])
        if then != question.model:
            output, result = self.run(question, then, tools=[weather], history=result.all_messages())
        return Answer(output, self.of_each(result))

    def of_each(self, result):
        """The usage of each of the calls that a run made."""
        usage = result.usage() if callable(result.usage) else result.usage
        return usage.input_tokens // usage.requests, usage.output_tokens // usage.requests


class PydanticOpenAi(PydanticAi):
    name = "pydantic-ai 2, openai chat"

    def model(self, name):
        return OpenAIChatModel(name, provider=OpenAIProvider(base_url=f"{self.url}/v1", api_key=self.api_key))


class PydanticResponses(PydanticAi):
    name = "pydantic-ai 2, openai responses"
    home = "responses"

    def model(self, name):
        return OpenAIResponsesModel(name, provider=OpenAIProvider(base_url=f"{self.url}/v1", api_key=self.api_key))


class PydanticAnthropic(PydanticAi):
    name = "pydantic-ai 2, anthropic"
    home = "anthropic"

    def ask(self, question):
        if question.schema:
            raise NotOffered("it knows by name which models take one")
        return super().ask(question)

    def model(self, name):
        return AnthropicModel(name, provider=AnthropicProvider(base_url=self.url, api_key=self.api_key))


class PydanticGoogle(PydanticAi):
    name = "pydantic-ai 2, google"
    home = "gemini"
    retries = False

    def model(self, name):
        return GoogleModel(name, provider=GoogleProvider(base_url=f"{self.url}/api", api_key=self.api_key))


main(__name__, PydanticOpenAi, PydanticResponses, PydanticAnthropic, PydanticGoogle)

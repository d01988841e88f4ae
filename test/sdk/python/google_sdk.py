"""The google-genai package, in the version of the API that it uses by itself."""

from google import genai
from google.genai import types

from checks import Answer, Client, city, main, named, picture_bytes, system, tool_about, tool_name

major = genai.__version__.split(".")[0]


def gathered(chunks):
    """The Answer of one or more answers, and all their parts."""
    parts, usage = [], None
    for chunk in chunks:
        usage = chunk.usage_metadata or usage
        for candidate in chunk.candidates or []:
            parts += (candidate.content and candidate.content.parts) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    calls = [part.function_call for part in parts if part.function_call]
    tool = (calls[0].name, calls[0].args) if calls else None
    spent = (usage.prompt_token_count, (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0))
    return Answer(text, spent, tool), parts


class GoogleGenAi(Client):
    name = f"google-genai {major}"
    home = "gemini"
    retries = False

    def client(self):
        return genai.Client(api_key=self.api_key, http_options=types.HttpOptions(base_url=f"{self.url}/api"))

    def request(self, question):
        parts = [types.Part.from_text(text=question.prompt)]
        if question.picture:
            parts.append(types.Part.from_bytes(data=picture_bytes, mime_type="image/png"))
        config = types.GenerateContentConfig(
            system_instruction=system,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            temperature=question.temperature,
        )
        if question.tool:
            declaration = types.FunctionDeclaration(
                name=tool_name, description=tool_about, parameters_json_schema=city
            )
            config.tools = [types.Tool(function_declarations=[declaration])]
        if question.schema:
            config.response_mime_type = "application/json"
            config.response_json_schema = city
        return [types.Content(role="user", parts=parts)], config

    def generate(self, model, contents, config, stream):
        with self.client() as client:
            if not stream:
                answer = client.models.generate_content(model=model, contents=contents, config=config)
                heard, parts = gathered([answer])
                headers = answer.sdk_http_response.headers if answer.sdk_http_response else None
                heard.request = (headers or {}).get("x-request-id")
                return heard, parts
            return gathered(client.models.generate_content_stream(model=model, contents=contents, config=config))

    def ask(self, question):
        return self.generate(question.model, *self.request(question), question.stream)[0]

    def converse(self, question, then):
        contents, config = self.request(question)
        _, parts = self.generate(question.model, contents, config, question.stream)
        call = next(part.function_call for part in parts if part.function_call)
        result = types.FunctionResponse(id=call.id, name=call.name, response={"output": question.result})
        history = [
            *contents,
            types.Content(role="model", parts=parts),
            types.Content(role="user", parts=[types.Part(function_response=result)]),
        ]
        return self.generate(then, history, config, question.stream)[0]

    def embed(self, model):
        with self.client() as client:
            return client.models.embed_content(model=model, contents="Hello?").embeddings[0].values

    def models(self):
        with self.client() as client:
            return [model.name.removeprefix("models/") for model in client.models.list()]

    def surfaces(self):
        def count():
            with self.client() as client:
                counted = client.models.count_tokens(model=named("gemini"), contents="Hello?")
                assert counted.total_tokens > 0, "no tokens"

        def chat():
            with self.client() as client:
                talk = client.chats.create(model=named("gemini"))
                talk.send_message("Hello?")
                assert talk.send_message("And again?").text == "Hello there", "no answer"

        def root():
            """The base URL without a path, with which the package asks for /v1beta/models."""
            options = types.HttpOptions(base_url=self.url)
            with genai.Client(api_key=self.api_key, http_options=options) as client:
                answer = client.models.generate_content(model=named("gemini"), contents="Hello?")
                assert answer.text == "Hello there", "no answer"

        def pool():
            """A program that asks the package to try again waits as it says."""
            retry = types.HttpRetryOptions(attempts=2)
            options = types.HttpOptions(base_url=f"{self.url}/api", retry_options=retry)
            with genai.Client(api_key=self.api_key, http_options=options) as client:
                answer = client.models.generate_content(model=named("gemini", "down-once"), contents="Try again?")
                assert answer.text == "Hello there", "no answer"

        return {"count of tokens": count, "chat": chat, "base URL at the root": root, "tries again": pool}


main(__name__, GoogleGenAi)

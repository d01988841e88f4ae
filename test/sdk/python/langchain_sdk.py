"""LangChain's three packages."""

from langchain_anthropic import ChatAnthropic
from langchain_google_genai import ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

from checks import NotOffered, main
from langchain_client import LangChain


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

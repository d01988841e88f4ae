"""LangChain's package for Amazon Bedrock, with Converse and with InvokeModel."""

from langchain_aws import ChatBedrock, ChatBedrockConverse

from bedrock_sdk import Boto3
from checks import NotOffered, main
from langchain_client import LangChain


class LangChainBedrock(LangChain, Boto3):
    home = "anthropic"

    def embed(self, model):
        raise NotOffered("embeddings are offered at other paths")


class LangChainConverse(LangChainBedrock):
    name = "langchain-aws 1, converse"

    def chat(self, model, **settings):
        return ChatBedrockConverse(
            client=self.client, model=model, provider="anthropic", max_tokens=1000, **settings
        )


class LangChainInvoke(LangChainBedrock):
    name = "langchain-aws 1, invoke_model"

    def chat(self, model, **settings):
        # Which tools a model takes it reads in the name of the base model, which an alias does not tell.
        return ChatBedrock(
            client=self.client,
            model=model,
            provider="anthropic",
            base_model="anthropic.claude-sonnet-4-5-20250929-v1:0",
            max_tokens=1000,
            **settings,
        )


main(__name__, LangChainConverse, LangChainInvoke)

"""boto3, with Converse and with InvokeModel."""

import json
from functools import cached_property

import boto3
from anthropic.types import Message
from anthropic_sdk import AnthropicMessages, message_answer
from botocore import UNSIGNED
from botocore.config import Config
from checks import Answer, Client, NotOffered, city, main, picture_bytes, system, tool_about, tool_name

major = boto3.__version__.split(".")[0]


class Boto3(Client):
    home = "anthropic"
    waits = False

    @cached_property
    def client(self):
        retries = {"total_max_attempts": self.tries} if self.tries else {}
        config = Config(retries=retries, signature_version=UNSIGNED)
        client = boto3.client("bedrock-runtime", region_name="us-east-1", endpoint_url=self.url, config=config)

        # By itself it sends AWS_BEARER_TOKEN_BEDROCK to addresses of HTTPS alone, which a local gateway has not.
        def sign(request, **_):
            request.headers["Authorization"] = f"Bearer {self.api_key}"

        client.meta.events.register("before-send.bedrock-runtime", sign)
        return client

    def models(self):
        raise NotOffered("bedrock-runtime has no list of models")


def joined(stream):
    """The message of a stream. Programs on this package put its events together themselves."""
    blocks, told = {}, {}
    for event in stream:
        (name, payload), = event.items()
        index = payload.get("contentBlockIndex")
        if name == "contentBlockStart":
            blocks[index] = {"toolUse": {**payload["start"]["toolUse"], "input": ""}}
        elif name == "contentBlockDelta":
            delta = payload["delta"]
            if "toolUse" in delta:
                blocks[index]["toolUse"]["input"] += delta["toolUse"]["input"]
            elif "text" in delta:
                block = blocks.setdefault(index, {"text": ""})
                block["text"] += delta["text"]
        elif name in ("messageStop", "metadata"):
            told.update(payload)
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"])
    content = [blocks[index] for index in sorted(blocks)]
    return {"output": {"message": {"role": "assistant", "content": content}}, **told}


class Boto3Converse(Boto3):
    name = f"boto3 {major}, converse"

    def parameters(self, question):
        content = [{"text": question.prompt}]
        if question.picture:
            content.append({"image": {"format": "png", "source": {"bytes": picture_bytes}}})
        parameters = {
            "modelId": question.model,
            "system": [{"text": system}],
            "messages": [{"role": "user", "content": content}],
            "inferenceConfig": {"maxTokens": 1000},
        }
        if question.tool:
            spec = {"name": tool_name, "description": tool_about, "inputSchema": {"json": city}}
            parameters["toolConfig"] = {"tools": [{"toolSpec": spec}]}
        if question.schema:
            json_schema = {"name": "city", "schema": json.dumps(city)}
            structure = {"jsonSchema": json_schema}
            parameters["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": structure}}
        if question.temperature is not None:
            parameters["inferenceConfig"]["temperature"] = question.temperature
        return parameters

    def create(self, parameters, stream):
        if not stream:
            return self.client.converse(**parameters)
        answer = self.client.converse_stream(**parameters)
        return {**joined(answer["stream"]), "ResponseMetadata": answer["ResponseMetadata"]}

    def answer(self, answer):
        content = answer["output"]["message"]["content"]
        text = "".join(block.get("text", "") for block in content)
        calls = [block["toolUse"] for block in content if "toolUse" in block]
        tool = (calls[0]["name"], calls[0]["input"]) if calls else None
        usage = answer["usage"]
        spent = (usage["inputTokens"] + usage["cacheReadInputTokens"], usage["outputTokens"])
        assert answer["stopReason"] == ("tool_use" if calls else "end_turn"), answer["stopReason"]
        return Answer(text, spent, tool, answer["ResponseMetadata"]["RequestId"])

    def ask(self, question):
        return self.answer(self.create(self.parameters(question), question.stream))

    def converse(self, question, then):
        parameters = self.parameters(question)
        message = self.create(parameters, question.stream)["output"]["message"]
        call = next(block["toolUse"] for block in message["content"] if "toolUse" in block)
        result = {"toolUseId": call["toolUseId"], "content": [{"text": question.result}]}
        turn = {"role": "user", "content": [{"toolResult": result}]}
        history = [*parameters["messages"], message, turn]
        return self.answer(self.create({**parameters, "modelId": then, "messages": history}, question.stream))


class Boto3Invoke(Boto3):
    name = f"boto3 {major}, invoke_model"

    def ask(self, question):
        if question.stream:
            raise NotOffered("the table of JavaScript has this stream")
        parameters = AnthropicMessages.parameters(self, question)
        # The model stands in the path here, and what the package adds is no parameter.
        model, extra = parameters.pop("model"), parameters.pop("extra_body", {})
        body = {"anthropic_version": "bedrock-2023-05-31", **parameters, **extra}
        answer = self.client.invoke_model(modelId=model, body=json.dumps(body))
        told = message_answer(Message.model_validate_json(answer["body"].read()))
        told.request = answer["ResponseMetadata"]["RequestId"]
        return told


main(__name__, Boto3Converse, Boto3Invoke)

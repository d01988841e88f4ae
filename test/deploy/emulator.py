"""Runs ministack with the gaps closed that the stack of this repository meets; nothing of its files is changed.

Each function below closes one gap and says what AWS does there. What is denied is told on standard error, one line
each: "DENIED <action> <principal> <resource>". Settings come from the environment, as ministack documents them.
"""

import json
import os
import re
import signal
import string
import sys
import threading

from ministack import app
from ministack.core import iam_actions, iam_evaluator
from ministack.services import dynamodb, secretsmanager, sqs
from ministack.services.cloudformation import provisioners

types = provisioners._RESOURCE_HANDLERS


def end_with_the_test():
    """Standard input ends when the test has ended. The emulator leads a group of processes, and ends all of it."""
    def wait():
        sys.stdin.read()
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


def tell_denials():
    """ministack answers a refused request and logs nothing; the test counts the refusals."""
    answer, check_queue = iam_actions.access_denied_response, sqs._enforce_queue_policy

    def tell(action, principal, resource):
        print(f"DENIED {action} {principal} {resource}", file=sys.stderr, flush=True)

    def told(service, action, principal_arn, *rest, resource_arn="*", **named):
        tell(action, principal_arn, resource_arn)
        return answer(service, action, principal_arn, *rest, resource_arn=resource_arn, **named)

    def checked(queue, action):
        try:
            check_queue(queue, action)
        except Exception:
            tell(action, iam_evaluator.caller_arn(), queue["attributes"].get("QueueArn"))
            raise

    iam_actions.access_denied_response = told
    sqs._enforce_queue_policy = checked


def count_plain_http_as_tls():
    """Policies refuse requests without TLS. Here every request comes over loopback, as if a proxy had ended its TLS."""
    pin = iam_evaluator.pin_request_origin
    app.pin_request_origin = lambda source_ip, secure_transport: pin(source_ip, True)


def leading_key(table, request):
    """The partition key of an item or of a query, as the condition key dynamodb:LeadingKeys has it."""
    described = dynamodb._tables.get(table.rsplit("/", 1)[-1]) or {}
    index = request.get("IndexName")
    indexes = described.get("GlobalSecondaryIndexes") or []
    schema = next((each["KeySchema"] for each in indexes if each["IndexName"] == index), described.get("KeySchema"))
    name = next((each["AttributeName"] for each in schema or [] if each["KeyType"] == "HASH"), None)
    item = request.get("Key") or request.get("Item")
    if item:
        return (item.get(name) or {}).get("S")
    names = request.get("ExpressionAttributeNames") or {}
    for left, right in re.findall(r"([#\w]+)\s*=\s*(:\w+)", request.get("KeyConditionExpression") or ""):
        if names.get(left, left) == name:
            return (request.get("ExpressionAttributeValues") or {}).get(right, {}).get("S")
    return None


class Checked(str):
    """The ARN of a table, with the partition key of the item of a transaction or batch that is checked against it."""

    leading = None


def inserts_of(body, region, account_id):
    """The checks of a batch of PartiQL statements: AWS has an action for what each of them does, as PartiQLInsert."""
    checks = []
    for each in json.loads(body or b"{}").get("Statements") or []:
        verb, table = re.match(r'(\w+)[^"]*"([^"]+)"', each["Statement"]).groups()
        item = dict(zip(re.findall(r"'(\w+)': \?", each["Statement"]), each.get("Parameters") or []))
        checked = Checked(iam_actions._dynamodb_table_arn(table, region, account_id))
        checked.leading = leading_key(table, {"Item": item})
        checks.append((f"dynamodb:PartiQL{verb.capitalize()}", checked))
    return checks


def know_leading_keys():
    """ministack leaves dynamodb:LeadingKeys out. AWS documents it for single items and queries. That each item of a
    transaction or batch has its own is an assumption, because AWS's documents do not say so."""
    context, items, enforce = (
        iam_actions.dynamodb_service_context, iam_actions.dynamodb_transaction_checks, iam_evaluator.enforce)

    def of_request(body):
        request = json.loads(body or b"{}")
        key = leading_key(request.get("TableName") or "", request) if isinstance(request, dict) else None
        batch = request.get("RequestItems") if isinstance(request, dict) else None
        read = {table.rsplit("/", 1)[-1]: [leading_key(table, {"Key": each}) for each in asked.get("Keys") or []]
                for table, asked in (batch or {}).items() if isinstance(asked, dict)}
        return {**context(body), **({"dynamodb:LeadingKeys": [key]} if key else {}), **({"batch": read} if read else {})}

    def of_items(iam_action, body, region, account_id):
        if iam_action == "dynamodb:BatchExecuteStatement":
            return inserts_of(body, region, account_id)
        checks = items(iam_action, body, region, account_id)
        requests = [member for each in json.loads(body or b"{}").get("TransactItems") or [] for member in each.values()
                    ] if checks else []
        told = []
        for (action, arn), request in zip(checks, requests, strict=True):
            checked = Checked(arn)
            checked.leading = leading_key(request["TableName"], request)
            told.append((action, checked))
        return told

    def enforced(access_key, action, service, region, resource_arn="*", service_context=None):
        # A batch is checked table by table, each with its own keys.
        batch = (service_context or {}).get("batch")
        if batch:
            own = batch.get(str(resource_arn).rsplit("/", 1)[-1]) or []
            service_context = {name: value for name, value in service_context.items() if name != "batch"}
            service_context = {**service_context, **({"dynamodb:LeadingKeys": own} if own else {})}
        leading = getattr(resource_arn, "leading", None)
        if leading:
            service_context = {**(service_context or {}), "dynamodb:LeadingKeys": [leading]}
        return enforce(access_key, action, service, region, resource_arn=resource_arn, service_context=service_context)

    iam_actions.dynamodb_service_context = of_request
    iam_actions.dynamodb_transaction_checks = of_items
    iam_evaluator.enforce = app.enforce = enforced


def take_names_alone():
    """ministack has no CodeDeploy, so an alias moves to its new version at once. CloudFormation makes no trail there. The
    resources of both are names."""
    for type_name in (
        "AWS::CodeDeploy::Application",
        "AWS::CodeDeploy::DeploymentConfig",
        "AWS::CodeDeploy::DeploymentGroup",
        "AWS::CloudTrail::Trail",
    ):
        types[type_name] = {
            "create": lambda logical_id, props, stack_name: (f"{stack_name}-{logical_id}", {}),
            "update": lambda physical_id, old, new, stack_name: (physical_id, {}),
            "delete": lambda physical_id, props: None,
        }


def take_metric_math():
    """ministack refuses an alarm on several metrics or on a query; it becomes one on the first metric, or on one that
    nobody writes, since no alarm rings here."""
    kind = types["AWS::CloudWatch::Alarm"]
    unwritten = {"Metric": {"Namespace": "query", "MetricName": "query"}, "Period": 60, "Stat": "Sum"}

    def plain(props):
        if not props.get("Metrics"):
            return props
        first = next((each["MetricStat"] for each in props["Metrics"] if "MetricStat" in each), unwritten)
        rest = {name: value for name, value in props.items() if name != "Metrics"}
        return {**rest, **first["Metric"], "Period": first["Period"], "Statistic": first["Stat"]}

    create, update = kind["create"], kind["update"]
    kind["create"] = lambda logical_id, props, stack_name: create(logical_id, plain(props), stack_name)
    kind["update"] = lambda physical_id, old, new, *rest: update(physical_id, plain(old), plain(new), *rest)


def refer_to_secrets_by_arn():
    """The Ref of a secret is its ARN on AWS, and its name in ministack; functions are told the ARN."""
    kind = types["AWS::SecretsManager::Secret"]
    create, update, delete = kind["create"], kind["update"], kind["delete"]

    def name_of(arn):
        return next((name for name, each in secretsmanager._secrets.items() if each["ARN"] == arn), arn)

    def created(logical_id, props, stack_name):
        _, attributes = create(logical_id, props, stack_name)
        return attributes["Arn"], attributes

    def updated(physical_id, *rest):
        _, attributes = update(name_of(physical_id), *rest)
        return physical_id, attributes

    kind["create"], kind["update"] = created, updated
    kind["delete"] = lambda physical_id, props: delete(name_of(physical_id), props)


def generate_secrets_as_asked():
    """ministack puts punctuation into a secret whose template excludes it. One pepper of 94 then began with a brace, and
    the gateway took it for a damaged JSON of versions."""
    value = provisioners._sm_secret_string

    def without_punctuation(props):
        generate = props.get("GenerateSecretString") or {}
        if not generate.get("ExcludePunctuation"):
            return value(props)
        excluded = generate.get("ExcludeCharacters", "") + string.punctuation
        return value({**props, "GenerateSecretString": {**generate, "ExcludeCharacters": excluded}})

    provisioners._sm_secret_string = without_punctuation


def change_and_protect_tables():
    """ministack takes a change of a global table for another table, and forgets that one is protected. AWS changes it in
    place, and refuses to delete a protected one, also when a stack is rolled back."""
    kind, table = types["AWS::DynamoDB::GlobalTable"], types["AWS::DynamoDB::Table"]

    def plain(props):
        replica = props["Replicas"][0]
        rest = {name: value for name, value in props.items() if name != "Replicas"}
        return {**rest, "DeletionProtectionEnabled": replica.get("DeletionProtectionEnabled", False)}

    def deleted(physical_id, props):
        if (dynamodb._tables.get(physical_id) or {}).get("DeletionProtectionEnabled"):
            raise ValueError(f"Table {physical_id} is protected against deletion.")
        table["delete"](physical_id, props)

    kind["create"] = lambda logical_id, props, stack_name: table["create"](logical_id, plain(props), stack_name)
    kind["update"] = lambda physical_id, old, new, *rest: table["update"](physical_id, plain(old), plain(new), *rest)
    kind["update_with_logical_id"] = True
    kind["delete"] = deleted


def recover_tables():
    """ministack forgets that a stack's table has point-in-time recovery, says that only this second can be restored, and
    not what a restored table comes from. On AWS recovery begins with the table. A restore takes the items of now here."""
    kind = types["AWS::DynamoDB::GlobalTable"]
    create, update = kind["create"], kind["update"]
    described, restored = dynamodb._describe_continuous_backups, dynamodb._restore_table_to_point_in_time

    def recovering(outcome, props):
        spec = props["Replicas"][0].get("PointInTimeRecoverySpecification") or {}
        dynamodb._pitr_settings[outcome[0]] = spec.get("PointInTimeRecoveryEnabled", False)
        return outcome

    def describe(data):
        status, headers, body = described(data)
        told = json.loads(body)
        recovery = told.get("ContinuousBackupsDescription", {}).get("PointInTimeRecoveryDescription", {})
        if "EarliestRestorableDateTime" in recovery:
            recovery["EarliestRestorableDateTime"] -= 60
        return status, headers, json.dumps(told).encode()

    def restore(data):
        answer = restored(data)
        if answer[0] == 200:
            source = dynamodb._tables[data["SourceTableName"]]["TableArn"]
            dynamodb._tables[data["TargetTableName"]]["RestoreSummary"] = {
                "SourceTableArn": source, "RestoreDateTime": data["RestoreDateTime"], "RestoreInProgress": False}
        return answer

    description = dynamodb._table_description

    def with_summary(name, *rest):
        summary = dynamodb._tables[name].get("RestoreSummary")
        return {**description(name, *rest), **({"RestoreSummary": summary} if summary else {})}

    kind["create"] = lambda logical_id, props, stack_name: recovering(create(logical_id, props, stack_name), props)
    kind["update"] = lambda physical_id, old, new, *rest: recovering(update(physical_id, old, new, *rest), new)
    dynamodb._describe_continuous_backups = describe
    dynamodb._restore_table_to_point_in_time = restore
    dynamodb._table_description = with_summary


def reserve_as_an_account_can():
    """AWS keeps 100 of an account's 1,000 concurrent calls for functions that reserve none, and refuses to give more
    away; ministack takes any number. This is how the test makes a deployment fail late, with its tables there."""
    kind = types["AWS::Lambda::Function"]
    create = kind["create"]

    def created(logical_id, props, stack_name):
        reserved = int(props.get("ReservedConcurrentExecutions") or 0)
        if reserved > 900:
            raise ValueError(f"ReservedConcurrentExecutions of {reserved} leaves less than 100 of 1000 unreserved.")
        return create(logical_id, props, stack_name)

    kind["create"] = created


end_with_the_test()
for close in (tell_denials, count_plain_http_as_tls, know_leading_keys, take_names_alone, take_metric_math,
              refer_to_secrets_by_arn, generate_secrets_as_asked, change_and_protect_tables, recover_tables,
              reserve_as_an_account_can):
    close()
app.main()

/** Requests of programs to be signed in, on DynamoDB: an item by user code (people/identity/programs.md). */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../../base/console-limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import {
  type DeviceRequest,
  type Devices,
  deviceSecretHash,
  isDeviceCodeOf,
} from "../../../people/identity/device.ts";
import { deviceKey } from "../dynamodb/account-keys.ts";
import { type Item, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { above, absentOrAtMost, atMost, equals } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, putItem, updateItem } from "../dynamodb/items.ts";
import { update } from "../dynamodb/transaction.ts";

/** A poll may be so much early: clocks and networks are not exact. */
const earlyMs = 1_000;
const keptMs = consoleLimits.deviceKeptSeconds * 1000;

/** The requests of a table of accounts. */
export function createDevices(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): Devices {
  return {
    async create(request) {
      const expires_at = Math.ceil((request.ends_at + keptMs) / 1000);
      const item = { ...deviceKey(request.user_code), ...toItem({ ...request, expires_at }) };
      // One that DynamoDB has not deleted yet is in nobody's way.
      const isFree = absentOrAtMost("ends_at", BigInt(request.created_at - keptMs));
      return (await putItem(aws, table, item, [isFree])).done;
    },

    async read(user_code) {
      const item = await getItem(aws, table, deviceKey(user_code));
      return item && requestOf(item);
    },

    async decide({ id, user_code }, approval, at) {
      const set = toItem({ state: approval ? "approved" : "denied", approval });
      const isShown = equals("id", toAttribute(id));
      const when = [isShown, equals("state", toAttribute("waiting")), above("ends_at", at)];
      return await changeItem(aws, { table, key: deviceKey(user_code), set, when });
    },

    async poll(code, at) {
      const isDue = atMost("polled_at", at - consoleLimits.devicePollSeconds * 1000 + earlyMs);
      const { done, item } = await updateItem(aws, {
        table,
        key: deviceKey(code.user_code),
        set: toItem({ polled_at: at }),
        when: [equals("secret_hash", toAttribute(deviceSecretHash(code.secret))), isDue],
      });
      if (!item) return "none";
      const request = requestOf(item);
      if (!isDeviceCodeOf(code, request)) return "none";
      return done ? request : "soon";
    },
  };
}

/** Fails unless the request is approved and not used. For the transaction that makes its key. */
export function useDevice(
  table: string,
  { id, user_code }: Pick<DeviceRequest, "id" | "user_code">,
): TransactWriteItem {
  return update({
    table,
    key: deviceKey(user_code),
    set: toItem({ state: "used" }),
    when: [equals("id", toAttribute(id)), equals("state", toAttribute("approved"))],
  });
}

function requestOf(item: Item): DeviceRequest {
  const { expires_at: _expiry, ...record } = item;
  return readRecord<DeviceRequest>(record);
}

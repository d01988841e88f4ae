/** Aliyun's short messages (people/identity/sms/README.md "Aliyun"), over its official client. */
import Dysms from "@alicloud/dysmsapi20170525";
import { SendRefused } from "../send-once.ts";
import { contentOf, endpointParts, type SmsService } from "./message.ts";
import type { AliyunSettings } from "./settings.ts";

const Client = Dysms.default;
type Config = ConstructorParameters<typeof Client>[0];
type Runtime = Parameters<InstanceType<typeof Client>["sendSmsWithOptions"]>[1];

/** What the client throws for an answer that is an error. */
interface ClientError {
  code?: unknown;
  statusCode?: number;
}

/** Sends over Aliyun. The client signs with ACS3-HMAC-SHA256, and repeats nothing unless it is told to. */
export function aliyun(settings: AliyunSettings, timeoutMs: number): SmsService {
  const { access_key_id, access_key_secret, sign_name } = settings;
  const { protocol, host } = endpointParts(settings.endpoint ?? "https://dysmsapi.aliyuncs.com");
  const client = new Client({
    accessKeyId: access_key_id,
    accessKeySecret: access_key_secret,
    endpoint: host,
    protocol,
  } as Config);
  const runtime = { readTimeout: timeoutMs, connectTimeout: timeoutMs } as Runtime;
  return async (message) => {
    const { template, values } = contentOf(message, settings);
    const request = new Dysms.SendSmsRequest({
      phoneNumbers: numberFor(message.phone),
      signName: sign_name,
      templateCode: template,
      templateParam: JSON.stringify(values),
    });
    const answer = await client.sendSmsWithOptions(request, runtime).catch((error: ClientError) => {
      throw error.statusCode === undefined ? error : new SendRefused(error.code, error.statusCode);
    });
    if (answer.body?.code !== "OK") throw new SendRefused(answer.body?.code, answer.statusCode);
  };
}

/** Aliyun takes numbers of the mainland without their country, and all others without the plus. */
function numberFor(phone: string): string {
  return phone.startsWith("+86") ? phone.slice(3) : phone.slice(1);
}

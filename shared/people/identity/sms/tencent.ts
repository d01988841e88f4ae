/** Tencent Cloud's short messages (people/identity/sms/README.md "Tencent Cloud"), over its official client. */
import { sms } from "tencentcloud-sdk-nodejs-sms";
import { SendRefused } from "../send-once.ts";
import { contentOf, endpointParts, type SmsService } from "./message.ts";
import type { TencentSettings } from "./settings.ts";

const { Client } = sms.v20210111;

/** What the client throws. Only a service's answer has a code, or a status. */
interface ClientError {
  code?: unknown;
  httpCode?: number;
}

/** Sends over Tencent Cloud. The client signs with TC3-HMAC-SHA256, and repeats nothing. */
export function tencent(settings: TencentSettings, timeoutMs: number): SmsService {
  const { protocol, host } = endpointParts(settings.endpoint ?? "https://sms.tencentcloudapi.com");
  const client = new Client({
    credential: { secretId: settings.secret_id, secretKey: settings.secret_key },
    region: settings.region,
    profile: {
      httpProfile: { protocol: `${protocol}://`, endpoint: host, reqTimeout: timeoutMs / 1000 },
    },
  });
  return async (message) => {
    const { template, values } = contentOf(message, settings);
    const answer = await client
      .SendSms({
        PhoneNumberSet: [message.phone],
        SmsSdkAppId: settings.app_id,
        SignName: settings.sign_name,
        TemplateId: template,
        TemplateParamSet: Object.values(values),
      })
      .catch((error: ClientError) => {
        const isAnswer = error.code !== undefined || error.httpCode !== undefined;
        throw isAnswer ? new SendRefused(error.code, error.httpCode) : error;
      });
    const [status] = answer.SendStatusSet ?? [];
    if (status?.Code !== "Ok") throw new SendRefused(status?.Code);
  };
}

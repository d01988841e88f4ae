/** AWS End User Messaging (people/identity/sms/README.md "AWS"), over its official client. */
import { PinpointSMSVoiceV2Client, SendTextMessageCommand } from "@aws-sdk/client-pinpoint-sms-voice-v2";
import { consoleLimits } from "../../../base/console-limits.ts";
import { SendRefused } from "../send-once.ts";
import { contentOf, type SmsService } from "./message.ts";
import type { AwsSettings } from "./settings.ts";

/** What the client throws. Only a service's answer has a status. */
interface ClientError {
  name?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Sends over AWS. The client signs with SigV4. It would repeat a request by itself, which could send twice. */
export function aws(settings: AwsSettings, timeoutMs: number): SmsService {
  const { access_key_id: accessKeyId, access_key_secret: secretAccessKey, region, endpoint } = settings;
  const client = new PinpointSMSVoiceV2Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  return async (message) => {
    const { template, values } = contentOf(message, settings);
    const text = Object.entries(values).reduce(
      (body, [name, value]) => body.replaceAll(`{${name}}`, value),
      template,
    );
    const command = new SendTextMessageCommand({
      DestinationPhoneNumber: message.phone,
      OriginationIdentity: settings.origination_identity,
      MessageBody: text,
      MessageType: "TRANSACTIONAL",
      // A message that arrives later than its code is good is of no use.
      TimeToLive: "code" in message ? consoleLimits.codeSeconds : consoleLimits.planNoticeSeconds,
      ConfigurationSetName: settings.configuration_set,
      ProtectConfigurationId: settings.protect_configuration,
      MaxPrice: settings.max_price,
      DestinationCountryParameters: settings.country_parameters,
    });
    await client.send(command).catch((error: ClientError) => {
      const status = error.$metadata?.httpStatusCode;
      throw status === undefined ? error : new SendRefused(error.name, status);
    });
  };
}

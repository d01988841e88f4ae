/** The services for messages: their settings, what each is asked, and how it answers. */
import { expect } from "vitest";
import type { Answer, Asked } from "./sms-endpoint.ts";
import { isSignedForAliyun, isSignedForAws, isSignedForTencent } from "./sms-signatures.ts";

export const phone = "+8613800138000";
export const code = "042137";
export const keys = { id: "LTAI-test", secret: "a secret/of+theirs" };
const templates = { zh: "SMS_1", en: "SMS_2" };

export interface ServiceCase {
  settings: (url: string) => object;
  success: Answer;
  /** The answers of a service that has too many requests, and that does not like the number. */
  throttled: Answer;
  badNumber: Answer;
  /** The service's own words for both. */
  codes: readonly [throttled: string, badNumber: string];
  check: (asked: Asked) => void;
}

export const serviceCases: Record<string, ServiceCase> = {
  aliyun: {
    settings: (endpoint) => ({
      service: "aliyun",
      access_key_id: keys.id,
      access_key_secret: keys.secret,
      sign_name: "示例",
      templates,
      endpoint,
    }),
    success: { status: 200, body: { Code: "OK", Message: "OK", RequestId: "r", BizId: "b" } },
    throttled: { status: 200, body: { Code: "isv.BUSINESS_LIMIT_CONTROL", Message: phone } },
    badNumber: { status: 400, body: { Code: "isv.MOBILE_NUMBER_ILLEGAL", Message: `${phone} is wrong` } },
    codes: ["isv.BUSINESS_LIMIT_CONTROL", "isv.MOBILE_NUMBER_ILLEGAL"],
    check(asked) {
      expect(isSignedForAliyun(asked, keys)).toBe(true);
      expect(asked.headers).toMatchObject({ "x-acs-action": "SendSms", "x-acs-version": "2017-05-25" });
      const query = new URLSearchParams(asked.target.split("?")[1]);
      expect(Object.fromEntries(query)).toEqual({
        PhoneNumbers: "13800138000",
        SignName: "示例",
        TemplateCode: "SMS_1",
        TemplateParam: '{"code":"042137"}',
      });
    },
  },
  tencent: {
    settings: (endpoint) => ({
      service: "tencent",
      secret_id: keys.id,
      secret_key: keys.secret,
      app_id: "1400006666",
      sign_name: "示例",
      templates,
      endpoint,
    }),
    success: { status: 200, body: { Response: { SendStatusSet: [{ Code: "Ok" }], RequestId: "r" } } },
    throttled: {
      status: 200,
      body: { Response: { Error: { Code: "RequestLimitExceeded", Message: phone }, RequestId: "r" } },
    },
    badNumber: {
      status: 200,
      body: {
        Response: { SendStatusSet: [{ Code: "InvalidParameterValue.IncorrectPhoneNumber" }], RequestId: "r" },
      },
    },
    codes: ["RequestLimitExceeded", "InvalidParameterValue.IncorrectPhoneNumber"],
    check(asked) {
      expect(isSignedForTencent(asked, keys)).toBe(true);
      expect(asked.headers).toMatchObject({
        "x-tc-action": "SendSms",
        "x-tc-version": "2021-01-11",
        "x-tc-region": "ap-guangzhou",
      });
      expect(JSON.parse(asked.body)).toEqual({
        PhoneNumberSet: [phone],
        SmsSdkAppId: "1400006666",
        SignName: "示例",
        TemplateId: "SMS_1",
        TemplateParamSet: [code],
      });
    },
  },
  aws: {
    settings: (endpoint) => ({
      service: "aws",
      access_key_id: keys.id,
      access_key_secret: keys.secret,
      region: "eu-central-1",
      origination_identity: "pool-1",
      templates: { zh: "您的验证码是 {code}。", en: "Your code is {code}." },
      max_price: "0.10",
      country_parameters: { IN_ENTITY_ID: "1" },
      endpoint,
    }),
    success: { status: 200, body: { MessageId: "m" } },
    throttled: {
      status: 400,
      body: { __type: "ThrottlingException", Message: phone },
      headers: { "x-amzn-errortype": "ThrottlingException" },
    },
    badNumber: {
      status: 400,
      body: { __type: "ValidationException", Message: phone, Reason: "DESTINATION_COUNTRY_BLOCKED" },
    },
    codes: ["ThrottlingException", "ValidationException"],
    check(asked) {
      expect(isSignedForAws(asked, keys)).toBe(true);
      expect(asked.headers["x-amz-target"]).toBe("PinpointSMSVoiceV2.SendTextMessage");
      expect(JSON.parse(asked.body)).toEqual({
        DestinationPhoneNumber: phone,
        OriginationIdentity: "pool-1",
        MessageBody: "您的验证码是 042137。",
        MessageType: "TRANSACTIONAL",
        TimeToLive: 300,
        MaxPrice: "0.10",
        DestinationCountryParameters: { IN_ENTITY_ID: "1" },
      });
    },
  },
  inbox: {
    settings: (url) => ({ service: "inbox", url: `${url}/messages` }),
    success: { status: 204, body: {} },
    throttled: { status: 429, body: {} },
    badNumber: { status: 400, body: {} },
    codes: ["status-429", "status-400"],
    check(asked) {
      expect(asked.target).toBe("/messages");
      expect(JSON.parse(asked.body)).toEqual({ phone, code, locale: "zh-CN" });
    },
  },
};

// What the bundles carry of the package urllib, which alipay-sdk imports to send its requests. Ours are sent by
// shared/base/platform/http-client.ts, and the package only signs and checks. With urllib and its undici the part has a
// megabyte more.
exports.Agent = class {};
exports.request = async () => {
  throw new Error("alipay-sdk sends nothing here");
};

import { words as sdk } from "../sdk/zh.ts";
import type { words as english } from "./en.ts";

export const words: typeof english = {
  sdk,
  lead: "任意厂商的 SDK 都能调用任意模型，只需两样：我们的地址和一个密钥。",
  key: "你的密钥",
  keyLead: "程序从环境变量读取密钥，避免写入代码。",
  keyFilled: "这是你在此标签页中创建的密钥，关闭后即被清除。",
  keyLine: "设置密钥的命令",
  yourKey: "你的密钥",
  makeKey: "创建 API 密钥",
  program: "第一个程序",
  toModels: "全部模型及价格",
  addresses: "接口地址",
  addressesLead: "已在使用的 SDK 只需改一下地址。",
  sdkName: "SDK 名称",
  address: "接口地址",
  agents: "编程助手",
  agentsLead: "它们都能使用网关的任意模型。以下内容已填入你的密钥可用的模型。",
  agent: "助手",
  agentLines: { sh: "终端", toml: "文件", json: "文件", text: "设置", py: "程序" },
  reference: "全部接口和字段",
  referenceLead: "接口参考列出网关的每个接口及其字段、错误和示例。",
  openReference: "打开接口参考",
  noGateway: "控制台不知道网关的地址",
  noGatewayLead: "请向运营方询问。",
};

import type { words as english } from "./en.ts";

export const words: typeof english = {
  sdk: "SDK 类型",
  language: "语言",
  install: "安装 SDK 的命令",
  program: "程序",
};

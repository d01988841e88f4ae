export const words: typeof import("./en.ts").words = {
  sdk: "SDK 类型",
  language: "语言",
  install: "安装 SDK 的命令",
  program: "程序",
};

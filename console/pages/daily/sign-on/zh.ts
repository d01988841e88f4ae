export const words: typeof import("./en.ts").words = {
  title: "正在登录",
  waits: "组织的身份提供方已返回，请稍候。",
  refused: "组织的身份提供方没有让你登录。",
  told: "返回内容",
  again: "重新登录",
};

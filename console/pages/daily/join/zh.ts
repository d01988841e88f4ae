export const words: typeof import("./en.ts").words = {
  lead: "有人邀请了你。你原有的组织会保留，可在菜单中切换。",
  as: (name) => `你当前以 ${name} 的身份登录。`,
  join: "加入",
  noToken: "此处没有可加入的组织",
  noTokenLead:
    "邀请可能已使用、已撤回、已过期，或属于其他手机号。也可能链接不完整：请复制完整的链接，包括 # 之后的所有内容。",
};

/**
 * Domains in which anybody can have an address. Who could write into their DNS would still be no company of its users.
 * The list needs not be whole: the record in DNS is what proves a domain.
 */
export const publicMailDomains: ReadonlySet<string> = new Set([
  ...["gmail.com", "googlemail.com"],
  ...["outlook.com", "hotmail.com", "hotmail.co.uk", "hotmail.fr", "live.com", "live.cn", "msn.com"],
  ...[
    "yahoo.com",
    "yahoo.co.jp",
    "yahoo.co.uk",
    "yahoo.fr",
    "yahoo.de",
    "ymail.com",
    "rocketmail.com",
    "aol.com",
  ],
  ...["icloud.com", "me.com", "mac.com"],
  ...["proton.me", "protonmail.com", "pm.me", "tutanota.com", "tuta.io", "fastmail.com", "hey.com"],
  ...["gmx.com", "gmx.de", "gmx.net", "gmx.at", "gmx.ch", "web.de", "mail.com", "freenet.de", "t-online.de"],
  ...[
    "zoho.com",
    "yandex.com",
    "yandex.ru",
    "ya.ru",
    "mail.ru",
    "bk.ru",
    "inbox.ru",
    "list.ru",
    "rambler.ru",
  ],
  ...["qq.com", "vip.qq.com", "foxmail.com", "163.com", "vip.163.com", "126.com", "yeah.net", "188.com"],
  ...["sina.com", "sina.cn", "vip.sina.com", "sohu.com", "tom.com", "21cn.com", "aliyun.com", "263.net"],
  ...["139.com", "189.cn", "wo.cn", "189.com"],
  ...["naver.com", "daum.net", "hanmail.net", "kakao.com", "docomo.ne.jp", "ezweb.ne.jp", "softbank.ne.jp"],
  ...["orange.fr", "wanadoo.fr", "free.fr", "laposte.net", "sfr.fr", "libero.it", "virgilio.it", "tin.it"],
  ...[
    "comcast.net",
    "verizon.net",
    "att.net",
    "sbcglobal.net",
    "btinternet.com",
    "rediffmail.com",
    "uol.com.br",
  ],
  ...["duck.com", "privaterelay.appleid.com", "users.noreply.github.com"],
]);

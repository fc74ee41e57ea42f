// Gives a download to Kettle, with the cookies and headers that its server expects.

import { browser } from "./browser.js";
import { isSent } from "./decision.js";
import { ask } from "./kettle.js";

// Queues a download in Kettle. Throws an Error with a sentence for people; nothing is queued then.
//
// `urls` are the one to download and those that it is known to lead to, whose cookies are needed as
// well. `storeId` names the store of cookies of the tab or the download. `page` and `byteCount` identify
// the file when its link is dead one day. The result has the id of the `transfer`.
export async function handOver({ urls, name, referrer, page, byteCount, storeId, isPaused }) {
  const download = {
    url: urls[0], name, referrer, page, byteCount, isPaused, userAgent: navigator.userAgent,
    cookies: await cookies(urls, storeId, referrer),
  };
  return await ask({ method: "add", download });
}

// Starts a transfer that the browser has given up. Returns the title of another one if that waited for this
// link and continues in its place; undefined otherwise.
export async function begin(transfer) {
  try {
    return (await ask({ method: "begin", transfer })).continued;
  } catch {
    // An older Kettle only starts it. If it is gone, this fails as well.
    await ask({ method: "start", transfer });
    return undefined;
  }
}

async function cookies(urls, storeId, referrer) {
  const found = new Map();
  for (const url of new Set(urls)) {
    for (const cookie of await browser.cookies.getAll({ url, storeId })) {
      if (!isSent(cookie, url, referrer)) continue;
      const { name, value, domain, hostOnly, path, secure } = cookie;
      found.set([domain, path, name].join("\n"), { name, value, domain, hostOnly, path, secure });
    }
  }
  return [...found.values()];
}

// Returns the store of cookies of a download or a tab. Firefox names it; Chromium has two, one of them for
// private windows.
export function storeOf(item) {
  if (item.cookieStoreId) return item.cookieStoreId;
  if (!item.incognito) return undefined;
  return globalThis.browser ? "firefox-private" : "1";
}

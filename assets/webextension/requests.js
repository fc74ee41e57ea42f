// Remembers how the latest downloads were requested, and from which page. A form that was sent cannot be
// sent again.

import { browser } from "./browser.js";
import { isWeb } from "./decision.js";

const responseCountMax = 100;
// The browser makes a download when it has the head of the response.
const distanceMillisecondsMax = 2000;
// Firefox reports a response later than its download when it is busy. Chromium keeps the order.
const patienceMilliseconds = browser.downloads.onDeterminingFilename ? 0 : 2000;

// The latest is the last.
let responses = [];
let waiting = [];

function note({ requestId, method, url, timeStamp, tabId, statusCode, responseHeaders }) {
  const isForm = method !== "GET" && method !== "HEAD";
  // Asked now: a tab that was opened for the download alone is closed soon.
  const page = pageIn(tabId);
  const byteCount = lengthOf(statusCode, responseHeaders);
  const response = { requestId, isForm, url: withoutFragment(url), timeStamp, page, byteCount };
  responses = [...responses, response].slice(-responseCountMax);
  for (const resume of waiting.splice(0)) resume();
}

browser.webRequest.onHeadersReceived.addListener(note, {
  urls: ["http://*/*", "https://*/*"], types: ["main_frame", "sub_frame", "other"],
}, ["responseHeaders"]);

// Returns the length of a file that comes whole and as it is; undefined for any other response.
export function lengthOf(statusCode, headers = []) {
  const valueOf = (name) => headers.find((each) => each.name.toLowerCase() === name)?.value;
  const byteCount = Number(valueOf("content-length"));
  const isWhole = statusCode === 200 && valueOf("content-encoding") === undefined;
  return isWhole && Number.isSafeInteger(byteCount) && byteCount > 0 ? byteCount : undefined;
}

// Returns the URL of the page that a tab shows, or of the one that has opened it; undefined if neither can
// be seen. While a download begins, the tab still shows the page with the link.
async function pageIn(tabId) {
  try {
    const tab = await browser.tabs.get(tabId);
    if (isWeb(tab.url)) return tab.url;
    const opener = await browser.tabs.get(tab.openerTabId);
    return isWeb(opener.url) ? opener.url : undefined;
  } catch {
    // There is no such tab, or it is closed.
    return undefined;
  }
}

// Returns whether the last request of a download sent a form (`isForm`), whether the first one did, before
// redirects (`beganAsForm`), the `page` that it came from, and the `byteCount` of its response. A request
// that the browser does not report may have sent a form.
export async function requestOf(item) {
  const deadline = Date.now() + patienceMilliseconds;
  const start = Date.parse(item.startTime);
  const isOfStart = (each) => Math.abs(each.timeStamp - start) < distanceMillisecondsMax;
  let response = responseOf(item);
  while (!(response && isOfStart(response)) && Date.now() < deadline) {
    await nextResponse(deadline - Date.now());
    response = responseOf(item);
  }
  // Firefox makes a download after the dialog that asks where to save it, so the response may be older.
  const chain = responses.filter((each) => each.requestId === response?.requestId);
  return {
    isForm: response?.isForm ?? true,
    beganAsForm: chain.some((each) => each.isForm),
    page: await response?.page,
    byteCount: response?.byteCount,
  };
}

function responseOf(item) {
  const url = withoutFragment(item.finalUrl ?? item.url);
  return responses.findLast((each) => each.url === url);
}

function nextResponse(milliseconds) {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setTimeout(resolve, milliseconds);
  });
}

function withoutFragment(url) {
  return url.split("#", 1)[0];
}

// Remembers how the latest downloads were requested. A form that was sent cannot be sent again.

import { browser } from "./browser.js";

const responseCountMax = 100;
// The browser makes a download when it has the head of the response.
const distanceMillisecondsMax = 2000;
// Firefox reports a response later than its download when it is busy. Chromium keeps the order.
const patienceMilliseconds = browser.downloads.onDeterminingFilename ? 0 : 2000;

// The latest is the last.
let responses = [];
let waiting = [];

function note({ requestId, method, url, timeStamp }) {
  const isForm = method !== "GET" && method !== "HEAD";
  responses = [...responses, { requestId, isForm, url: withoutFragment(url), timeStamp }]
    .slice(-responseCountMax);
  for (const resume of waiting.splice(0)) resume();
}

browser.webRequest.onHeadersReceived.addListener(note, {
  urls: ["http://*/*", "https://*/*"], types: ["main_frame", "sub_frame", "other"],
});

// Returns whether the last request of a download sent a form (`isForm`), and whether the first one did,
// before redirects (`beganAsForm`). A request that the browser does not report may have sent one.
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

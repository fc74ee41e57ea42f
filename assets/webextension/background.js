// Watches the browser's downloads, and hands some of them over to Kettle.
//
// A download is cancelled in the browser only when Kettle has stored it. If anything fails before, the
// browser goes on by itself.

import { browser, everyPage } from "./browser.js";
import {
  baseName, linkOf, pageToRemember, referrer, sizeOf, takesOver, urlToRepeat,
} from "./decision.js";
import { begin, handOver, storeOf } from "./handover.js";
import { ask } from "./kettle.js";
import { requestOf } from "./requests.js";
import * as settings from "./settings.js";

// MARK: Downloads

// Hands a download over if it is one for Kettle and can be repeated. Returns whether it was one for
// Kettle.
//
// Kettle has it paused until the browser has given it up. A small one may be complete by then, and is
// taken back.
async function consider(item) {
  // Another extension may have sent a body or headers, which nobody reports.
  if (item.byExtensionId) return true;
  if (!takesOver(item, await settings.load())) return false;
  // Without access, cookies are missing, and forms are not recognized.
  if (!await browser.permissions.contains(everyPage)) return true;
  const request = await requestOf(item);
  const url = urlToRepeat(item, request);
  if (url === undefined) return true;
  try {
    const { transfer } = await handOver({
      urls: [url, item.finalUrl ?? url],
      name: item.filename ? baseName(item.filename) : undefined,
      referrer: referrer(item.referrer, url),
      page: pageToRemember(item, request.page),
      // Firefox knows the size of a download a little later than its server has told it.
      byteCount: sizeOf(item) || request.byteCount,
      storeId: storeOf(item),
      isPaused: true,
    });
    if (await giveUp(item.id)) {
      await showNews(await begin(transfer));
    } else {
      await ask({ method: "remove", transfer });
    }
    await showProblem(undefined);
  } catch (error) {
    await showProblem(error);
  }
  return true;
}

// Removes a download from the browser. Returns false if it is complete, and stays.
async function giveUp(id) {
  try {
    await browser.downloads.cancel(id);
  } catch {
    // It is complete, or gone.
  }
  const [item] = await browser.downloads.search({ id });
  if (item?.state === "complete") return false;
  await browser.downloads.erase({ id });
  return true;
}

if (browser.downloads.onDeterminingFilename) {
  // Chromium tells the final name before it asks where to save the file.
  browser.downloads.onDeterminingFilename.addListener((item, suggest) => {
    consider(item).finally(() => suggest());
    return true;
  });
} else {
  // Firefox knows the name at once and learns the size a little later, without an event.
  browser.downloads.onCreated.addListener(async (item) => {
    if (await consider(item)) return;
    const sized = await withSize(item.id);
    if (sized) await consider(sized);
  });
}

const sizePauseMilliseconds = 50;
const sizeQuestionCount = 100;

// Returns the download once its size is known; undefined if it ends before, or after five seconds.
async function withSize(id) {
  for (let count = 0; count < sizeQuestionCount; count += 1) {
    const [item] = await browser.downloads.search({ id });
    if (item?.state !== "in_progress") return undefined;
    if (item.totalBytes > 0) return item;
    await new Promise((resolve) => setTimeout(resolve, sizePauseMilliseconds));
  }
  return undefined;
}

// MARK: Links

const menuId = "download-with-kettle";

browser.runtime.onInstalled.addListener(async () => {
  await browser.contextMenus.removeAll();
  browser.contextMenus.create({
    id: menuId, title: "Download with Kettle", contexts: ["link", "image", "video", "audio"],
    targetUrlPatterns: ["http://*/*", "https://*/*"],
  });
});

browser.contextMenus.onClicked.addListener(async (info, tab) => {
  const link = linkOf(info);
  if (info.menuItemId !== menuId || !link) return;
  try {
    const page = pageToRemember({ incognito: tab?.incognito }, link.page);
    await handOver({ ...link, page, storeId: tab && storeOf(tab) });
    await showProblem(undefined);
  } catch (error) {
    await showProblem(error);
  }
});

// MARK: News and problems

// Lets the popup say that a transfer continues with the link of the last download.
async function showNews(title) {
  if (title !== undefined) await browser.storage.session.set({ continued: title });
}

// Shows that the last download could not be handed over; the popup says why.
async function showProblem(error) {
  await browser.storage.session.set({ problem: error?.message ?? "" });
  await browser.action.setBadgeText({ text: error ? "!" : "" });
}

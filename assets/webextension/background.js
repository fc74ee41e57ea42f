// Watches the browser's downloads, and hands some of them over to Kettle.
//
// A download is cancelled in the browser only when Kettle has stored it. If anything fails before, the
// browser goes on by itself.

import { browser, everyPage } from "./browser.js";
import { baseName, linkOf, referrer, takesOver, urlToRepeat } from "./decision.js";
import { handOver, storeOf } from "./handover.js";
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
  const url = urlToRepeat(item, await requestOf(item));
  if (url === undefined) return true;
  try {
    const { transfer } = await handOver({
      urls: [url, item.finalUrl ?? url],
      name: item.filename ? baseName(item.filename) : undefined,
      referrer: referrer(item.referrer, url),
      storeId: storeOf(item),
      isPaused: true,
    });
    const method = await giveUp(item.id) ? "start" : "remove";
    await ask({ method, transfer });
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
    await handOver({ ...link, storeId: tab && storeOf(tab) });
    await showProblem(undefined);
  } catch (error) {
    await showProblem(error);
  }
});

// MARK: Problems

// Shows that the last download could not be handed over; the popup says why.
async function showProblem(error) {
  await browser.storage.session.set({ problem: error?.message ?? "" });
  await browser.action.setBadgeText({ text: error ? "!" : "" });
}

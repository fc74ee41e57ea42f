// Decides whether Kettle takes a download over. Nothing here asks the browser.

const mebibyte = 1024 * 1024;

// Returns whether Kettle takes over a download of the browser (downloads.DownloadItem).
export function takesOver(item, settings) {
  const urls = [item.url, item.finalUrl ?? item.url];
  if (!settings.takesOver || !urls.every(isWeb)) return false;
  if (item.incognito && !settings.includesPrivateWindows) return false;
  if (urls.some((url) => isExcluded(url, settings.excludedHosts))) return false;
  if (hasKind(item, settings.kinds)) return true;
  const byteCount = sizeOf(item);
  return byteCount > 0 && byteCount >= settings.minimumMebibytes * mebibyte;
}

// Returns the size of a download that the browser was told; 0 if it was told none.
export function sizeOf(item) {
  return Math.max(item.totalBytes ?? 0, item.fileSize ?? 0);
}

// Returns the page that Kettle remembers for a download, without a login and a fragment; undefined if there
// is none, and for a private window. `page` is what the tab shows.
export function pageToRemember(item, page) {
  const shown = [page, item.referrer].find(isWeb);
  if (item.incognito || !shown) return undefined;
  const { origin, pathname, search } = new URL(shown);
  return origin + pathname + search;
}

// Returns the URL from which the download can be repeated; undefined if it is the answer to a form.
// `request` is as `requestOf` returns it.
//
// The first URL is the one that stays valid. Kettle follows its redirects itself.
export function urlToRepeat(item, request) {
  if (request.isForm) return undefined;
  return request.beganAsForm ? item.finalUrl ?? item.url : item.url;
}

export function isWeb(url) {
  return /^https?:\/\//i.test(url ?? "");
}

function isExcluded(url, hosts) {
  const host = new URL(url).hostname;
  return hosts.some((each) => host === each || host.endsWith("." + each));
}

function hasKind(item, kinds) {
  const path = item.filename || new URL(item.finalUrl ?? item.url).pathname;
  const name = baseName(path).toLowerCase();
  return kinds.some((kind) => name.endsWith("." + kind));
}

// Returns whether a browser sends a cookie for `url` after a click on the page `referrer`. A cookie with
// SameSite=Strict is not sent from another site.
export function isSent(cookie, url, referrer) {
  if (cookie.sameSite !== "strict") return true;
  return isWeb(referrer) && new URL(referrer).hostname === new URL(url).hostname;
}

// Returns the last part of a path, of any system.
export function baseName(path) {
  return path.split(/[/\\]/).pop();
}

// Returns what `handOver` needs for a link in the context menu (contextMenus.OnClickData); undefined if
// nothing can be downloaded from there.
export function linkOf(info) {
  const url = info.linkUrl ?? info.srcUrl;
  if (!isWeb(url)) return undefined;
  const page = info.frameUrl ?? info.pageUrl;
  return { urls: [url], referrer: referrer(page, url), page };
}

// Returns what a page may tell a server about itself: the default of browsers
// (strict-origin-when-cross-origin). Firefox reports the whole URL of the page, whatever its policy.
export function referrer(page, target) {
  if (!isWeb(page) || !isWeb(target)) return undefined;
  const [from, to] = [new URL(page), new URL(target)];
  if (from.protocol === "https:" && to.protocol === "http:") return undefined;
  return from.origin === to.origin ? from.origin + from.pathname + from.search : from.origin + "/";
}

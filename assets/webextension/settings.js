// What the user has chosen.

import { browser } from "./browser.js";

export const defaults = {
  takesOver: true,
  // Downloads of at least this size are taken over.
  minimumMebibytes: 10,
  // Downloads with one of these extensions are taken over whatever their size.
  kinds: ["iso", "img", "zip", "7z", "rar", "tar", "tgz", "txz", "deb", "rpm", "appimage"],
  // Downloads from these hosts and those below them are left to the browser.
  excludedHosts: [],
  includesPrivateWindows: false,
};

export async function load() {
  return await browser.storage.local.get(defaults);
}

export async function store(settings) {
  await browser.storage.local.set(settings);
}

// Returns the words of a text, in lower case and without a leading dot: "ISO, .zip".
export function words(text) {
  const all = text.toLowerCase().split(/[\s,;]+/).map((word) => word.replace(/^[.*]+/, ""));
  return [...new Set(all.filter((word) => word !== ""))];
}

// Returns the hosts in a text, as URLs contain them: "A.example, https://b.example:81/c".
export function hosts(text) {
  const all = words(text).map((word) => {
    const url = word.includes("://") ? word : "http://" + word;
    return URL.canParse(url) ? new URL(url).hostname : "";
  });
  return [...new Set(all.filter((host) => host !== ""))];
}

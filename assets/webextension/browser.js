// The browser's own functions. Firefox has them under both names, Chromium under one.
export const browser = globalThis.browser ?? globalThis.chrome;

// Access to every page. Firefox lets the user decide about the hosts in the manifest.
export const everyPage = { origins: ["http://*/*", "https://*/*"] };

// The browser's own functions. Firefox has them under both names, Chromium under one.
export const browser = globalThis.browser ?? globalThis.chrome;

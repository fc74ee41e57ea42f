// The page of settings.

import { browser, everyPage } from "./browser.js";
import { ask } from "./kettle.js";
import { hosts, load, store, words } from "./settings.js";

const element = (id) => document.getElementById(id);
const choices = ["takesOver", "includesPrivateWindows"];
const lists = { kinds: words, excludedHosts: hosts };

async function fill() {
  const settings = await load();
  for (const name of choices) element(name).checked = settings[name];
  for (const name in lists) element(name).value = settings[name].join(", ");
  element("minimumMebibytes").value = settings.minimumMebibytes;
}

async function save(event) {
  event.preventDefault();
  const settings = { minimumMebibytes: element("minimumMebibytes").valueAsNumber };
  for (const name of choices) settings[name] = element(name).checked;
  for (const name in lists) settings[name] = lists[name](element(name).value);
  await store(settings);
  await fill();
  element("saved").textContent = "Saved";
}

async function showHost() {
  try {
    element("host").textContent = `Connected to Kettle ${(await ask({ method: "hello" })).version}`;
  } catch (error) {
    element("host").textContent = error.message;
  }
}

async function showAccess() {
  element("access").hidden = await browser.permissions.contains(everyPage);
}

element("grant").addEventListener("click", async () => {
  await browser.permissions.request(everyPage);
  await showAccess();
});
element("form").addEventListener("submit", save);
element("form").addEventListener("input", () => { element("saved").textContent = ""; });
await fill();
await showAccess();
await showHost();

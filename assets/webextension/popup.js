// Shows what Kettle is doing, once a second while it is open.

import { browser } from "./browser.js";
import { facts, speed } from "./words.js";
import { Connection } from "./kettle.js";

const kettle = new Connection();
const element = (id) => document.getElementById(id);
const pauseMilliseconds = 1000;
// Why the last click on a button had no effect.
let refusal = "";

function showList({ isRunning, rows, unfinishedCount, bytesPerSecond }) {
  element("summary").textContent =
    isRunning && unfinishedCount > 0
      ? `${unfinishedCount} unfinished, ${speed(bytesPerSecond)}` : "";
  element("empty").hidden = rows.length > 0;
  const list = element("rows");
  const present = new Map([...list.children].map((item) => [item.dataset.transfer, item]));
  for (const [index, row] of rows.entries()) {
    const key = String(row.transfer);
    const item = present.get(key) ?? newItem(key);
    present.delete(key);
    fill(item, row);
    // Moving an element would take the focus from its button.
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  }
  for (const item of present.values()) item.remove();
}

function newItem(key) {
  const item = element("row").content.firstElementChild.cloneNode(true);
  item.dataset.transfer = key;
  item.querySelector("button").addEventListener("click", () => control(item));
  return item;
}

function fill(item, row) {
  item.dataset.method = row.state === "paused" || row.state === "failed" ? "start" : "pause";
  item.querySelector(".title").textContent = row.title;
  item.querySelector(".facts").textContent = facts(row);
  item.querySelector(".note").textContent = row.note ?? "";
  const bar = item.querySelector("progress");
  bar.setAttribute("aria-label", row.title);
  bar.hidden = row.state === "completed";
  if (row.bytesExpected > 0) {
    bar.max = row.bytesExpected;
    bar.value = row.bytesReceived;
  } else if (row.state === "running") {
    bar.removeAttribute("value");
  } else {
    bar.max = 1;
    bar.value = 0;
  }
  const button = item.querySelector("button");
  button.hidden = row.state === "completed";
  const word = item.dataset.method === "pause" ? "Pause" : "Start";
  button.textContent = word;
  button.setAttribute("aria-label", `${word} ${row.title}`);
}

async function control(item) {
  refusal = "";
  try {
    await kettle.ask({
      method: item.dataset.method, transfer: Number(item.dataset.transfer),
    });
  } catch (error) {
    refusal = error.message;
  }
  await update();
}

function show(id, text) {
  const paragraph = element(id);
  if (paragraph.textContent !== text) paragraph.textContent = text;
  paragraph.hidden = text === "";
}

// Says once that a transfer continues with the link of a download.
async function showNews() {
  const { continued } = await browser.storage.session.get({ continued: "" });
  if (continued === "") return;
  await browser.storage.session.remove("continued");
  show("news", `${continued} continues with the fresh link.`);
}

async function update() {
  try {
    showList(await kettle.ask({ method: "list" }));
    await showNews();
    show("problem", refusal || (await browser.storage.session.get({ problem: "" })).problem);
  } catch (error) {
    show("problem", error.message);
  }
}

async function follow() {
  await update();
  setTimeout(follow, pauseMilliseconds);
}

element("options").addEventListener("click", () => browser.runtime.openOptionsPage());
await follow();

// Talks to kettle-native-host, which the browser starts.

import { browser } from "./browser.js";

const hostName = "org.example.kettle";

// The browser's own message ends with a full stop in some versions.
function cannotStart(message) {
  const reason = message.replace(/\.$/, "");
  return new Error(
    `Kettle cannot be started (${reason}). Run "kettle browser install" and try again.`);
}

// Sends one request and returns its result. Throws an Error with a sentence for people.
export async function ask(request) {
  let reply;
  try {
    reply = await browser.runtime.sendNativeMessage(hostName, { id: 1, ...request });
  } catch (error) {
    throw cannotStart(error.message);
  }
  if (reply?.error) throw new Error(reply.error);
  if (reply?.result === undefined) throw new Error("Kettle sent no answer. Try again.");
  return reply.result;
}

// A connection for many requests, which are answered in order.
export class Connection {
  #port;
  #waiting = [];

  // Returns the result as `ask` does.
  ask(request) {
    return new Promise((resolve, reject) => {
      this.#open();
      this.#waiting.push({ resolve, reject });
      this.#port.postMessage({ id: 1, ...request });
    });
  }

  #open() {
    if (this.#port) return;
    this.#port = browser.runtime.connectNative(hostName);
    this.#port.onMessage.addListener((reply) => {
      const { resolve, reject } = this.#waiting.shift();
      if (reply.error) reject(new Error(reply.error));
      else resolve(reply.result);
    });
    this.#port.onDisconnect.addListener((port) => {
      const reason = (port.error ?? browser.runtime.lastError)?.message ?? "it ended";
      this.#port = undefined;
      for (const { reject } of this.#waiting.splice(0)) reject(cannotStart(reason));
    });
  }
}

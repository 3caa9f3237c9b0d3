// A browser starts no Worker for a page that was opened as a file. There, the search runs in a hidden frame instead.
// The name IFrameWorker tells the theme's worker that it runs in a frame.
"use strict";

class IFrameWorker extends EventTarget {
  constructor(url) {
    super();
    this.waiting = [];
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.body.append(this.frame);
    const inside = this.frame.contentWindow;
    const page = inside.document;
    window.addEventListener("message", (event) => {
      if (event.source === inside) this.dispatchEvent(new MessageEvent("message", { data: event.data }));
    });
    inside.importScripts = (...urls) => Promise.all(urls.map((name) => load(page, name)));
    const redirect = page.createElement("script");
    redirect.textContent = 'self.send = self.postMessage.bind(self); self.postMessage = (data) => parent.postMessage(data, "*");';
    page.head.append(redirect);
    load(page, url).then(() => {
      this.ready = true;
      for (const data of this.waiting.splice(0)) inside.send(data, "*");
    });
  }

  postMessage(data) {
    if (this.ready) this.frame.contentWindow.send(data, "*");
    else this.waiting.push(data);
  }

  terminate() {
    this.frame.remove();
  }
}

function load(page, url) {
  return new Promise((resolve, reject) => {
    const script = page.createElement("script");
    script.onload = resolve;
    script.onerror = reject;
    script.src = new URL(url, location.href).href;
    page.head.append(script);
  });
}

if (location.protocol === "file:") window.Worker = window.IFrameWorker = IFrameWorker;

// Watches a window for what a stranger's text must never become: a live link, an element, an icon, a dialog, a request.
import type { Frame, Page } from "playwright-core";
import { ICON } from "./payloads.ts";

/** What was found so far, in the window and the pages inside it. */
export interface Sightings {
  /** Anything in this list is a failure. */
  readonly found: () => Promise<string[]>;
  /** For what was put there on purpose. */
  readonly forget: () => Promise<void>;
}

/** Links that are written in our manifest, and the editor's own about a folder no one trusts. */
const OWN = [
  "command:cloudGpu.signIn",
  "command:cloudGpu.sandbox.try",
  "command:cloudGpu.switchAccount",
  "command:workbench.trust.manage",
  "https://aka.ms/vscode-workspace-trust",
];

/**
 * Runs in the page. Links are looked for whenever anything changes, so that one that was there for a moment counts as well.
 * The workbench draws links of messages as `a[href]`, those of hovers as `a[data-href]`; our own are buttons and have neither.
 */
const WATCH = `(() => {
  if (window.cloudGpuSightings) return;
  const found = (window.cloudGpuSightings = new Set());
  const own = ${JSON.stringify(OWN)};
  const live = /^\\s*(command|file|javascript|data|vscode[\\w-]*|https?):/i;
  const look = (root, deep = true) => {
    for (const element of [root, ...(deep && root.querySelectorAll ? root.querySelectorAll("*") : [])]) {
      if (!(element instanceof Element)) continue;
      const where = () => element.closest("[class]")?.className ?? "";
      for (const name of ["href", "data-href"]) {
        const to = element.getAttribute(name);
        const isOurs = element.localName === "link" || element.localName === "base";
        if (to && live.test(to) && !isOurs && !own.includes(to)) found.add("live link " + to.slice(0, 120) + " in " + where());
      }
      if (element.localName === "img" && /^(x|https:..127.0.0.1:9)/.test(element.getAttribute("src") ?? ""))
        found.add("image " + element.outerHTML.slice(0, 120));
      if (element.localName === "script" && /alert\\(/.test(element.textContent)) found.add("script " + where());
      if (element.classList.contains("codicon-${ICON}")) found.add("icon in " + where());
    }
  };
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "attributes") look(target, false);
      else for (const node of addedNodes) look(node);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["href", "data-href", "src", "class"] });
  look(document);
})()`;

/**
 * Where characters that turn the direction of text would move a price or an ID. The editor's own words on an unknown key of
 * a JSON file hold that key as it is; they aren't ours.
 */
const TURNED = `[...document.querySelectorAll(
  ".monaco-list-row, .notification-list-item, .monaco-dialog-box, .quick-input-widget, .statusbar-item, .tab, .workbench-hover",
)].filter((element) => !element.closest(".markers-panel")).filter((element) => /[\\u202a-\\u202e\\u2066-\\u2069]/.test(element.textContent))
  .map((element) => "turned text in " + element.className)`;

const inside = (frame: Frame): Promise<string[]> =>
  frame
    .evaluate<string[]>(`${WATCH}; [...(window.cloudGpuSightings ?? []), ...${TURNED}]`)
    // A frame that is just being loaded or left has nothing to show.
    .catch(() => []);

export function watch(page: Page): Sightings {
  const outside: string[] = [];
  page.on("dialog", (dialog) => {
    outside.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { protocol, hostname, port, pathname } = new URL(request.url());
    // How a page inside the window asks the window itself for our own bundles.
    const isBundle = /\/dist\/webview\/[\w-]+\.(?:js|css)$/.test(pathname);
    if (hostname.endsWith(".vscode-resource.vscode-cdn.net") && isBundle) return;
    const isLocal = hostname === "127.0.0.1" || hostname === "localhost" || hostname.endsWith(".localhost");
    // Before its first address the window itself is at none.
    const isOurs = isLocal && (page.url() === "about:blank" || port === new URL(page.url()).port);
    if (/^(https?|wss?):$/.test(protocol) && !isOurs) outside.push(`request ${request.url().slice(0, 120)}`);
  });
  return {
    found: async () => {
      const all = await Promise.all(page.frames().map(inside));
      return [...new Set([...outside, ...all.flat()])];
    },
    forget: async () => {
      await page.evaluate<void>("window.cloudGpuSightings.clear()");
    },
  };
}

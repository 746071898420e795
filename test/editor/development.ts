// What the browser build of VS Code takes from its page alone: an extension to load from its folder, tests, the display language.

import type { Page } from "playwright-core";

export interface Development {
  /** Absolute path of the extension's folder. */
  extensionDevelopmentPath?: string | undefined;
  /** Absolute path of a module that exports `run(): Promise<void>`; the extension host ends when that settles. */
  extensionTestsPath?: string | undefined;
  /** Such as "de": for extensions' words; the workbench's own would need a language pack and stay English. */
  locale?: string | undefined;
}

/**
 * Must come before the page's first `goto`. Release builds ignore the addresses' `payload`, so this goes through the workbench's own
 * `developmentOptions`: the page carries its configuration as JSON in one attribute of one element, and the script wraps the reading
 * of it. The script is a string because it runs in the page, whose types this repository doesn't compile against.
 */
export async function develop(page: Page, development: Development): Promise<void> {
  const { extensionDevelopmentPath, extensionTestsPath, locale } = development;
  await page.addInitScript(`{
    const given = ${JSON.stringify({ extensionDevelopmentPath, extensionTestsPath, locale })};
    if (given.locale) globalThis._VSCODE_NLS_LANGUAGE = given.locale;
    const read = Element.prototype.getAttribute;
    const uri = (path) => ({ $mid: 1, scheme: "vscode-remote", authority: location.host, path });
    Element.prototype.getAttribute = function (name) {
      const value = read.call(this, name);
      if (name !== "data-settings" || this.id !== "vscode-workbench-web-configuration" || value === null) return value;
      const settings = JSON.parse(value);
      settings.developmentOptions = {
        ...settings.developmentOptions,
        extensions: given.extensionDevelopmentPath ? [uri(given.extensionDevelopmentPath)] : undefined,
        extensionTestsPath: given.extensionTestsPath ? uri(given.extensionTestsPath) : undefined,
      };
      return JSON.stringify(settings);
    };
  }`);
}

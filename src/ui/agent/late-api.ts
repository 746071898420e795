// What `activate` returns: the interface for other extensions, which `docs/cloud-gpu-api.d.ts` publishes. Most of them only look, so it is there
// before the rest is loaded, and empty until then.
import * as vscode from "vscode";
import type { ExportedAccount } from "./exported-account.ts";

export interface Api {
  readonly version: 1;
  /** The list of instances, a price, a status or an auto-stop changed, or the account. */
  readonly onDidChange: vscode.Event<void>;
  /** Of the account in use. Empty if no one is signed in. */
  readonly instances: ExportedAccount["instances"];
  readonly isSandbox: boolean;
  readonly openSummary: (draft: unknown) => Promise<void>;
  readonly exploreOffers: (filter?: unknown) => Promise<void>;
}

export class LateApi implements vscode.Disposable {
  readonly #changes = new vscode.EventEmitter<void>();
  #account: ExportedAccount | undefined;
  readonly api: Api;

  /** `load` loads the rest. */
  constructor(load: () => Promise<{ readonly exported: ExportedAccount }>) {
    const getAccount = () => this.#account;
    this.api = Object.freeze({
      version: 1,
      onDidChange: this.#changes.event,
      get instances() {
        return getAccount()?.instances ?? NONE;
      },
      get isSandbox() {
        return getAccount()?.isSandbox ?? false;
      },
      openSummary: async (draft: unknown) => await (await load()).exported.openSummary(draft),
      exploreOffers: async (filter?: unknown) => await (await load()).exported.openOffers(filter),
    } satisfies Api);
  }

  /** The rest is loaded. */
  follow(account: ExportedAccount): void {
    this.#account = account;
    account.onDidChange(() => this.#changes.fire());
    this.#changes.fire();
  }

  dispose(): void {
    this.#account = undefined;
    this.#changes.dispose();
  }
}

const NONE: ExportedAccount["instances"] = Object.freeze([]);

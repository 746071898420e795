// The person's machines in the kernel picker of the Jupyter extension.
import type { Jupyter, JupyterServer, JupyterServerCollection, JupyterServerCommand } from "@vscode/jupyter-extension";
import * as vscode from "vscode";
import type { InstanceId } from "../../domain/base/id.ts";
import { getPhase, hasSsh } from "../../domain/instance/instance.ts";
import { CHANNEL, commands } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { formatPhase } from "../../present/instance/instances.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { formatShortName } from "../connection/connection-commands.ts";
import { showError } from "../kit/errors.ts";
import { runCommand, runEditorCommand } from "../kit/run-command.ts";
import { reachJupyter } from "./jupyter.ts";
import type { PortServices } from "./port-services.ts";

const JUPYTER = "ms-toolsai.jupyter";
const NOTEBOOK = "jupyter-notebook";

/** A notebook remembers its server: another account's machine of the same number must not take its place. */
const idOf = ({ tag }: SignedIn, id: InstanceId) => `${tag}-${id}`;

/** Registers the machines once a notebook is open: nothing of Jupyter's is loaded for it. */
export class JupyterKernels implements Disposable {
  readonly #services: PortServices;
  readonly #changes = new vscode.EventEmitter<void>();
  readonly #listening: readonly Disposable[];
  #collection: JupyterServerCollection | undefined;
  #isAsked = false;

  constructor(services: PortServices) {
    this.#services = services;
    const { instances, session } = services;
    this.#listening = [
      vscode.workspace.onDidOpenNotebookDocument((notebook) => this.#see(notebook)),
      // Installed or enabled while a notebook is open.
      vscode.extensions.onDidChange(() => vscode.workspace.notebookDocuments.forEach((one) => void this.#see(one))),
      instances.collection.store.onDidChange(() => this.#changes.fire()),
      session.onDidChange(() => this.#changes.fire()),
    ];
    for (const notebook of vscode.workspace.notebookDocuments) this.#see(notebook);
  }

  #see({ notebookType }: vscode.NotebookDocument): void {
    const extension = vscode.extensions.getExtension<Jupyter>(JUPYTER);
    if (notebookType !== NOTEBOOK || !extension || this.#isAsked) return;
    this.#isAsked = true;
    void this.#register(extension);
  }

  async #register(extension: vscode.Extension<Jupyter>): Promise<void> {
    try {
      // The editor activates it for a notebook in any case.
      const jupyter = await extension.activate();
      this.#collection = jupyter.createJupyterServerCollection("cloud-gpu", CHANNEL, {
        onDidChangeServers: this.#changes.event,
        provideJupyterServers: () => this.#list(),
        resolveJupyterServer: (server) => this.#resolve(server),
      });
      this.#collection.commandProvider = {
        provideCommands: () => [{ label: t("Rent a GPU for This Notebook…") }],
        handleCommand: (command) => this.#rent(command),
      };
    } catch (error) {
      this.#services.log.warn("The machines could not be offered to the Jupyter extension.", error);
    }
  }

  /** Without what it takes to connect: that is found out for the one that is chosen. */
  #list(): JupyterServer[] {
    const { session, instances } = this.#services;
    const { current } = session;
    if (current.kind !== "signed-in") return [];
    return instances.rows
      .filter(({ value, gone }) => !gone && getPhase(value) === "running" && hasSsh(value))
      .map(({ value }) => ({
        id: idOf(current, value.id),
        label: `${formatShortName(value)} · ${value.id} · ${formatPhase(value)}`,
      }));
  }

  async #resolve(server: JupyterServer): Promise<JupyterServer> {
    const { session, instances, log } = this.#services;
    try {
      const account = session.requireSignedIn();
      const row = instances.rows.find(({ value }) => idOf(account, value.id) === server.id);
      const access = row && (await reachJupyter(this.#services, account, row));
      if (access) {
        session.assertStill(account);
        const baseUrl = vscode.Uri.parse(`http://127.0.0.1:${access.port}/`, true);
        return { id: server.id, label: server.label, connectionInformation: { baseUrl, token: access.token } };
      }
    } catch (error) {
      void showError(error, log);
    }
    throw new vscode.CancellationError();
  }

  /** A launch takes minutes. Its machine is in the picker once it runs. */
  async #rent(_: JupyterServerCommand): Promise<undefined> {
    // Otherwise, the picker would wait for a server.
    await runEditorCommand("workbench.action.closeQuickOpen");
    void runCommand(commands.launchFromTemplate);
    throw new vscode.CancellationError();
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
    this.#collection?.dispose();
    this.#changes.dispose();
  }
}

// What can be done with a template file: push, pull, compare, re-pin, launch. Nothing is sent over a change that someone
// else made on the service.
import { AppError } from "../../domain/base/error.ts";
import type { TemplateHash } from "../../domain/base/id.ts";
import { listEmptySecrets, listEmptyVariables } from "../../domain/template/environment/env-secrets.ts";
import { readTemplateFile } from "../../domain/template/template-file.ts";
import type { TemplateMessage, TemplateQuestion } from "../../domain/template/template-messages.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import {
  type Comparison,
  compareFile,
  findSameVersion,
  getSyncOwner,
  mayPullSecrets,
  type Pair,
  type Pushable,
  pushDraft,
  type SyncOwner,
  withPinnedVersion,
  withPulledContent,
} from "./template-file-sync.ts";
import type { TemplatePerson } from "./template-person.ts";
import type { Stored, TemplateSaves } from "./template-saves.ts";
import type { TemplatesService } from "./templates.ts";

/** A template file open in the editor. */
export interface OpenTemplateFile {
  /** The text by now, saved or not. */
  readText(): string;
  /** Replaces the text without saving it. @returns false if the editor didn't take it. */
  replaceText(text: string): Promise<boolean>;
  save(): Promise<void>;
  /** Shows the file next to the service's version, which reads like this. */
  showDifference(stored: Stored, text: string): Promise<void>;
}

interface Services {
  readonly session: SessionService;
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
}

interface Pushed {
  readonly stored: Stored;
  readonly message: TemplateMessage;
}

type FoundPair = Pair<"in-step" | "drifted"> & { readonly owner: SyncOwner };

interface Turn {
  readonly person: TemplatePerson;
  readonly account: SignedIn;
  readonly file: OpenTemplateFile;
}

export class TemplateFileActions {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Asks about what will be sent, sends it, and records the new synchronized version in the file.
   * @returns the template's hash if the person wants to launch it now. @throws AppError.
   */
  async push(person: TemplatePerson, file: OpenTemplateFile): Promise<TemplateHash | undefined> {
    const account = this.#services.session.requireSignedIn();
    const pushed = await this.#push(person, account, file);
    if (!pushed) return undefined;
    const { stored, message } = pushed;
    if ((await person.tell(message, ["launch"])) !== "launch") return undefined;
    this.#services.session.assertStill(account);
    return stored.hash;
  }

  /** @returns what is stored now and what to say about it; undefined if nothing was pushed. */
  async #push(person: TemplatePerson, account: SignedIn, file: OpenTemplateFile): Promise<Pushed | undefined> {
    const { saves } = this.#services;
    const text = file.readText();
    const seen = await this.#compareOwn(account, text);
    if (seen.kind === "drifted") return void (await this.#tellDrift(person, account, file, seen.stored));
    const { name } = seen.draft;
    if (seen.kind === "in-step" && seen.fields.length === 0) {
      await this.#takePushed({ person, account, file }, text, seen.stored);
      return { stored: seen.stored, message: { kind: "nothing-to-push", name } };
    }
    if (!(await person.confirm(toQuestion(seen)))) return undefined;
    const outcome = await pushDraft(saves, account, seen);
    if (outcome.kind === "deleted")
      throw new AppError(
        "gone",
        t("The template was deleted on the service, so nothing was sent. Push again to create it again."),
      );
    if (outcome.kind === "changed") return void (await this.#tellDrift(person, account, file, outcome.theirs));
    const { stored, existing } = outcome;
    await this.#takePushed({ person, account, file }, text, stored);
    return { stored, message: existing ? { kind: "push-existed" } : { kind: "pushed", name, hash: stored.hash } };
  }

  /** A changed file of someone else's template is pushed as a private copy: only its creator can change the original. */
  async #compareOwn(account: SignedIn, text: string): Promise<Comparison> {
    const { saves, templates } = this.#services;
    const seen = await compareFile(saves, account, text);
    if (!("stored" in seen) || seen.fields.length === 0) return seen;
    await templates.collection.getKnown();
    const { stored, draft } = seen;
    return templates.isOwn(stored.hash, stored.id) ? seen : { kind: "foreign", draft: { ...draft, private: true } };
  }

  /** What was typed during the push stays unsaved. In that case, only the lock is updated. */
  async #takePushed({ person, account, file }: Turn, text: string, stored: Stored): Promise<void> {
    const now = file.readText();
    if (now === text) {
      await replace(file, withPulledContent(now, stored, await this.#getOwner(account, stored)));
      await file.save();
      return;
    }
    if (readTemplateFile(now).draft)
      return await replace(file, withPinnedVersion(now, stored, await this.#getOwner(account, stored)));
    void person.tell({ kind: "lock-outdated", name: stored.draft.name, hash: stored.hash }, []);
  }

  async #getOwner(account: SignedIn, stored: Stored): Promise<SyncOwner> {
    await this.#services.templates.collection.getKnown();
    return getSyncOwner(this.#services.templates, account, stored);
  }

  /** @throws AppError `rejected` if the account was left before the person chose. */
  async #tellDrift(person: TemplatePerson, account: SignedIn, file: OpenTemplateFile, stored: Stored): Promise<void> {
    const action = await person.tell({ kind: "drifted", name: stored.draft.name }, ["diff", "pull", "repin"]);
    if (action !== undefined) this.#services.session.assertStill(account);
    if (action === "diff") await this.compare(person, file);
    if (action === "pull") await this.pull(person, file);
    if (action === "repin") await this.repin(person, file);
  }

  /**
   * Replaces the file's content with the service's version and keeps comments. The file isn't saved, so that the change
   * can be reviewed and undone.
   */
  async pull(person: TemplatePerson, file: OpenTemplateFile): Promise<void> {
    const found = await this.#findPair(person, file);
    if (!found) return;
    const { stored, fields, owner } = found;
    const text = file.readText();
    await replace(file, withPulledContent(text, stored, owner));
    void person.tell({ kind: "pulled", fields }, []);
    if (mayPullSecrets(text, stored)) void person.tell({ kind: "may-hold-secrets", name: stored.draft.name }, []);
  }

  /** Shows the file next to the result of a pull, so that only the template differs. */
  async compare(person: TemplatePerson, file: OpenTemplateFile): Promise<void> {
    const found = await this.#findPair(person, file);
    if (found) await file.showDifference(found.stored, withPulledContent(file.readText(), found.stored, found.owner));
  }

  /** From now on, the file is an edit of the service's version. */
  async repin(person: TemplatePerson, file: OpenTemplateFile): Promise<void> {
    const found = await this.#findPair(person, file);
    if (!found) return;
    await replace(file, withPinnedVersion(file.readText(), found.stored, found.owner));
    await file.save();
  }

  /** The template to launch, if the service's version matches the file. Otherwise a push is offered. */
  async findLaunchable(person: TemplatePerson, file: OpenTemplateFile): Promise<TemplateHash | undefined> {
    const account = this.#services.session.requireSignedIn();
    const seen = await findSameVersion(this.#services.saves, account, file.readText());
    if ("hash" in seen) return seen.hash;
    const message = { kind: "launch-differs", why: seen.differs } as const;
    if ((await person.tell(message, ["push-and-launch"])) !== "push-and-launch") return undefined;
    this.#services.session.assertStill(account);
    const pushed = await this.#push(person, account, file);
    this.#services.session.assertStill(account);
    return pushed?.stored.hash;
  }

  /**
   * @returns undefined for a template of another account, after the person was told what can be done.
   * @throws AppError if the service doesn't have the template.
   */
  async #findPair(person: TemplatePerson, file: OpenTemplateFile): Promise<FoundPair | undefined> {
    const account = this.#services.session.requireSignedIn();
    const seen = await compareFile(this.#services.saves, account, file.readText());
    if ("stored" in seen) return { ...seen, owner: await this.#getOwner(account, seen.stored) };
    if (seen.kind === "new") throw new AppError("rejected", t("This file was never pushed. Push it first."));
    if (seen.kind !== "other-account")
      throw new AppError("gone", t("The template this file came from no longer exists."));
    const message = { kind: "of-other-account", name: seen.draft.name } as const;
    void person.tell(message, ["switch-account"]);
    return undefined;
  }
}

/** Replaces the file's text if it differs. */
async function replace(file: OpenTemplateFile, text: string): Promise<void> {
  if (file.readText() !== text && !(await file.replaceText(text)))
    throw new AppError("rejected", t("The editor didn't apply the change."));
}

function toQuestion(seen: Pushable): TemplateQuestion {
  if ("stored" in seen) return { kind: "push-changes", fields: seen.fields, from: seen.stored.draft, to: seen.draft };
  const { name, private: isPrivate, docker_login_user: user, env } = seen.draft;
  return {
    kind: "push-new",
    why: seen.kind,
    name,
    isPrivate,
    needsToken: user !== "",
    // A file that came from a template may have left out values that don't look secret by their names.
    withoutValue: seen.kind === "new" ? listEmptySecrets(env) : listEmptyVariables(env),
  };
}

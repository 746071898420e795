// Someone who edits templates without an editor: answers come from lists, and what was asked, said and shown is kept.
import assert from "node:assert/strict";
import type {
  TemplateAction,
  TemplateMessage,
  TemplateQuestion,
} from "../../../src/domain/template/template-messages.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import type { FoundDraft } from "../../../src/services/template/draft-store.ts";
import type { TemplateEdit } from "../../../src/services/template/template-edit.ts";
import type { DraftAlternative, FormPerson, RestoredTab } from "../../../src/services/template/template-edits.ts";
import type { Merge } from "../../../src/services/template/template-person.ts";
import { type Parts, secretsInMemory } from "../editor-window.ts";
import { editorWindow, makeUserData, sandbox } from "../support.ts";

type Choice = FoundDraft | "other" | undefined;

export interface Answers {
  /** A function may change something while the question is open. */
  readonly confirms?: (boolean | (() => Promise<boolean>))[];
  readonly actions?: (TemplateAction | undefined)[];
  readonly drafts?: ((drafts: readonly FoundDraft[]) => Choice | Promise<Choice>)[];
}

export function templatePerson({ confirms = [], actions = [], drafts = [] }: Answers = {}) {
  const asked: TemplateQuestion[] = [];
  const told: TemplateMessage[] = [];
  const offered: (readonly TemplateAction[])[] = [];
  const merges: Merge[] = [];
  const shown: TemplateEdit[] = [];
  const chosenAmong: { drafts: readonly FoundDraft[]; other: DraftAlternative }[] = [];
  const person: FormPerson = {
    confirm: async (question) => {
      asked.push(question);
      const answer = confirms.shift() ?? false;
      return typeof answer === "function" ? await answer() : answer;
    },
    tell: async (message, ways) => {
      told.push(message);
      offered.push(ways);
      return ways.length === 0 ? undefined : actions.shift();
    },
    merge: async (merge) => void merges.push(merge),
    chooseDraft: async (found, other) => {
      chosenAmong.push({ drafts: found, other });
      return await drafts.shift()?.(found);
    },
    show: (edit) => void shown.push(edit),
  };
  const edit = () => {
    const last = shown.at(-1);
    assert.ok(last, "a form is shown");
    return last;
  };
  return {
    ...person,
    asked,
    told,
    offered,
    merges,
    shown,
    chosenAmong,
    edit,
    kinds: () => told.map(({ kind }) => kind),
  };
}
export type ScriptedPerson = ReturnType<typeof templatePerson>;

/** A tab that the editor restored for this person. */
export function restoredTab(person: ScriptedPerson) {
  const drawn: string[] = [];
  const closing = new AbortController();
  const tab: RestoredTab = {
    ...person,
    awaitSignIn: () => void drawn.push("sign in"),
    showFailure: () => void drawn.push("failure"),
    close: () => void drawn.push("closed"),
    closed: closing.signal,
  };
  return { ...person, ...tab, drawn, closeByHand: () => closing.abort() };
}

export const MINE = "My nightly fine-tune";

/** A window signed in to a sandbox of its own, in front of a template of the person. */
export async function atTemplate(parts: Parts = {}) {
  const requests: RequestLine[] = [];
  const service = await sandbox({ requests: (line) => void requests.push(line) });
  const secrets = secretsInMemory();
  const machine = makeUserData();
  const open = async () => {
    const window = editorWindow(machine, { draftSecrets: secrets, ...parts });
    await window.session.restore();
    if (window.session.current.kind === "signed-out") await window.session.signIn(service.url, service.apiKey);
    await window.templates.collection.refresh();
    return window;
  };
  const window = await open();
  const { templates, account } = service.world;
  const { id } = find(templates.list(), ({ name }) => name === MINE);
  /** As the service has it. */
  const stored = () => find(templates.list(), (one) => one.id === id);
  return {
    ...window,
    service,
    secrets,
    workspaceNotes: machine.workspaceNotes,
    requests,
    /** Another window of the same person, or the same one after a reload. */
    open,
    stored,
    /** Its row, as the lists of a window have it. */
    row: (name = MINE, lists = window.templates) => find(lists.all, ({ value }) => value.name === name),
    elsewhere: (change: Record<string, unknown>) => templates.edit(stored().hash_id, change, account.id),
    deletedElsewhere: () => templates.delete(id, account.id),
    /** What was sent to the templates' endpoint: POST creates, PUT edits, DELETE deletes. */
    sent: (method: string) => requests.filter((line) => line.method === method && line.path === "/api/v0/template/"),
    draftsOnDisk: () => window.drafts.list(window.me().tag),
  };
}

export function find<T>(all: readonly T[], isIt: (one: T) => boolean): T {
  const found = all.find(isIt);
  assert.ok(found);
  return found;
}

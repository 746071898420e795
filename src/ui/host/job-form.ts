// Background jobs as a form: steps ask for what is required, then every field can be changed in a review.

import { AppError } from "../../domain/base/error.ts";
import {
  BackgroundJobs,
  parseArgsText,
  parseMachine,
  parsePrice,
  parseVariables,
  parseWords,
} from "../../domain/host/background-jobs.ts";
import { parseImage } from "../../domain/template/image.ts";
import { quoteWord } from "../../lib/shell-words.ts";
import { label, t } from "../../lib/text.ts";
import { chooseWord } from "../../present/base/row.ts";
import { dayPrice, type JobsDraft, type JobsField, jobsLines } from "../../present/host/host.ts";
import { type Answer, ask, BACK, type Choice, pick, type StepPlace, separator } from "../kit/steps.ts";

type AskField = (place: StepPlace, draft: JobsDraft) => Promise<Answer<JobsDraft>>;

/** Asks for one field with one line of text. */
function line<T>(parts: {
  readonly prompt: () => string;
  readonly placeholder?: string;
  readonly value: (draft: JobsDraft) => string;
  readonly read: (text: string) => T;
  readonly put: (draft: JobsDraft, value: T) => JobsDraft;
}): AskField {
  return async (place, draft) => {
    const answer = await ask<{ readonly value: T }>({
      ...place,
      prompt: parts.prompt(),
      value: parts.value(draft),
      ...(parts.placeholder === undefined ? {} : { placeholder: parts.placeholder }),
      read: (text) => ({ value: parts.read(text) }),
    });
    return answer === undefined || answer === BACK ? answer : parts.put(draft, answer.value);
  };
}

type Price = "price_gpu" | "price_inetu" | "price_inetd";

function price(field: Price, name: () => string, prompt: () => string): AskField {
  return line({
    prompt,
    placeholder: field === "price_gpu" ? "4.80" : "0.01",
    value: (draft) => (draft[field] === undefined ? "" : String(draft[field])),
    read: (text) => parsePrice(name(), text),
    put: (draft, value) => ({ ...draft, [field]: value }),
  });
}

/** A list, one string or none: the service accepts only one of the two, so choosing one removes the other. */
const askArgs: AskField = async (place, draft) => {
  const choices: Choice<"list" | "string" | "none">[] = [
    {
      label: t("A list"),
      description: "args",
      detail: t("Read into words here; every word is one argument."),
      value: "list",
    },
    {
      label: t("One string"),
      description: "args_str",
      detail: t("Sent as it is; the service reads it as a shell does."),
      value: "string",
    },
    { label: t("None"), detail: t("The image starts as it is."), value: "none" },
  ];
  const now = kindOfArguments(draft);
  const kind = await pick({
    ...place,
    placeholder: t("Arguments for the image"),
    choices,
    active: (value) => value === now,
  });
  if (kind === undefined || kind === BACK) return kind;
  const { args, args_str, ...rest } = draft;
  if (kind === "none") return rest;
  const text = await ask<JobsDraft>({
    ...place,
    prompt: t("Arguments. Quote one that holds blanks: serve --name 'my model'"),
    value: args_str ?? args?.map(quoteWord).join(" ") ?? "",
    read: (typed) => {
      const string = parseArgsText(typed);
      if (string === undefined) return rest;
      return kind === "string" ? { ...rest, args_str: string } : { ...rest, args: parseWords(t("Arguments"), string) };
    },
  });
  return text;
};

function kindOfArguments({ args, args_str }: JobsDraft): "list" | "string" | "none" {
  if (args !== undefined) return "list";
  return args_str === undefined ? "none" : "string";
}

const askSsh: AskField = async (place, draft) => {
  const ssh = await pick<"on" | "off" | "open">({
    ...place,
    placeholder: t("SSH in the containers"),
    choices: [
      { label: t("On"), value: "on" },
      { label: t("Off"), value: "off" },
      { label: t("Left to the service"), value: "open" },
    ],
    active: (value) => value === (chooseWord(draft.use_ssh, "on", "off") ?? "open"),
  });
  if (ssh === undefined || ssh === BACK) return ssh;
  const { use_ssh: _, ...rest } = draft;
  return ssh === "open" ? rest : { ...rest, use_ssh: ssh === "on" };
};

const FIELDS: Readonly<Record<JobsField, AskField>> = {
  machine: line({
    prompt: () => t("Id of the machine, as the service's web site shows it. You must own it."),
    placeholder: "12345",
    value: ({ machine }) => (machine === undefined ? "" : String(machine)),
    read: parseMachine,
    put: (draft, machine) => ({ ...draft, machine }),
  }),
  image: line({
    prompt: () => t("Docker image the jobs run"),
    placeholder: "pytorch/pytorch:latest",
    value: ({ image }) => image ?? "",
    read: parseImage,
    put: (draft, image) => ({ ...draft, image }),
  }),
  price_gpu: price(
    "price_gpu",
    () => t("GPU price"),
    () => t("Dollars per GPU and day (not per hour): 24 a day are $1.00/h"),
  ),
  price_inetu: price(
    "price_inetu",
    () => t("Upload price"),
    () => t("Dollars per GB of upload"),
  ),
  price_inetd: price(
    "price_inetd",
    () => t("Download price"),
    () => t("Dollars per GB of download"),
  ),
  args: askArgs,
  env: line({
    prompt: () =>
      t("Variables as NAME=value, separated by blanks; quote a value with blanks. They are sent as they are."),
    placeholder: "MODE=fast GREETING='good day'",
    value: ({ env }) =>
      Object.entries(env ?? {})
        .map(([name, value]) => quoteWord(`${name}=${value}`))
        .join(" "),
    read: parseVariables,
    put: ({ env: _, ...rest }, env) => (Object.keys(env).length === 0 ? rest : { ...rest, env }),
  }),
  ssh: askSsh,
  onstart: line({
    prompt: () => t("Shell command run at container start; empty for none"),
    placeholder: "cd /workspace && ./start.sh",
    value: ({ onstart }) => onstart ?? "",
    read: (text) => text.trim(),
    put: ({ onstart: _, ...rest }, onstart) => (onstart === "" ? rest : { ...rest, onstart }),
  }),
};

export const FIRST: readonly JobsField[] = ["machine", "image", "price_gpu", "price_inetu", "price_inetd"];

export function askJobsField(field: JobsField, place: StepPlace, draft: JobsDraft): Promise<Answer<JobsDraft>> {
  return FIELDS[field](place, draft);
}

/** What will be sent. @throws AppError `rejected` if a field is missing or two fields exclude each other. */
export function toJobs(draft: JobsDraft): BackgroundJobs {
  const read = BackgroundJobs.safeParse(draft);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new AppError(
    "rejected",
    t("Nothing was sent: the field “{0}” is not valid ({1}).", issue?.path.join(".") ?? "", issue?.message ?? ""),
    { notSent: true },
  );
}

/** Shows what will be sent until the person sends it, changes a field or leaves. A previous refusal is shown first. */
export function showJobs(
  place: StepPlace,
  draft: JobsDraft,
  refusal: string | undefined,
): Promise<Answer<JobsField | "create">> {
  return pick<JobsField | "create">({
    ...place,
    placeholder: t("Review. Nothing is sent before you confirm."),
    choices: [
      ...(refusal === undefined
        ? []
        : [{ label: `$(error) ${t("Refused; nothing was created.")}`, detail: label(refusal, 300), alwaysShow: true }]),
      {
        label: `$(server) ${t("Create Background Jobs on Machine {0}…", draft.machine ?? "?")}`,
        description: dayPrice(draft.price_gpu),
        detail: t("Replaces the default jobs the machine has now."),
        value: "create",
        alwaysShow: true,
      },
      separator(t("Change")),
      ...jobsLines(draft).map(({ field, name, value }) => ({
        label: `$(edit) ${name}…`,
        description: value,
        value: field,
      })),
    ],
    active: (value) => value === "create",
  });
}

// What can be opened once a launched instance is ready.
import { t } from "../../lib/text.ts";

/** Named as what a launch leads to; `tell`: only a message. */
export const WHEN_READY = ["tell", "connect", "open-project"] as const;
export type WhenReady = (typeof WHEN_READY)[number];

/** In the summary. */
export function describeWhenReady(whenReady: WhenReady): string {
  switch (whenReady) {
    case "tell":
      return t("tell me");
    case "connect":
      return t("open a terminal");
    case "open-project":
      return t("open this project on it");
  }
}

interface WhenReadyChoice {
  readonly label: string;
  readonly detail: string;
  readonly value: WhenReady;
}

/** What can be chosen; a project only where one is open. */
export const listWhenReadyChoices = (hasProject: boolean): readonly WhenReadyChoice[] => [
  { label: t("Tell Me"), detail: t("A message leads to the terminal and to the project."), value: "tell" },
  {
    label: t("Open a Terminal"),
    detail: t("As long as this window is open when the instance is ready."),
    value: "connect",
  },
  ...(hasProject
    ? [
        {
          label: t("Open This Project on It"),
          detail: t("Uploads the open folder, installs what it needs, and opens it in a new window."),
          value: "open-project" as const,
        },
      ]
    : []),
];

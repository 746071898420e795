// Opens the page that its host asked for.
import * as z from "zod";
import type { PageName } from "../protocol/messages.ts";
import { openJobsPage } from "./host/main.ts";
import { openLaunchPage } from "./launch/main.ts";
import { openRecordPage } from "./record/main.ts";
import { openSpendingPage } from "./spending/main.ts";
import { openTemplatePage } from "./template/main.ts";

// A page's policy forbids making code from text, which zod would otherwise try.
z.config({ jitless: true });

const PAGES: Readonly<Record<PageName, (root: HTMLElement) => unknown>> = {
  jobs: openJobsPage,
  launch: openLaunchPage,
  // It brings libraries of its own, and a file for them.
  offers: async (root) => (await import("./offers/main.ts")).openOffersPage(root),
  record: openRecordPage,
  spending: openSpendingPage,
  template: openTemplatePage,
};

const root = document.getElementById("root");
const open = Object.entries(PAGES).find(([name]) => name === root?.dataset.page)?.[1];
if (root) open?.(root);

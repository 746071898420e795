// What the page of offers and its host may exchange: a closed list, validated at both ends. Nothing in it can rent.
import * as z from "zod";
import { Filters } from "../domain/offer/filter.ts";
import { SearchLimit, SORTS } from "../domain/offer/offer-search.ts";
import { OfferJob } from "../domain/offer/table/job.ts";
import { OfferTable } from "../domain/offer/table/offer-table.ts";
import { OffersLayout } from "../domain/offer/table/offers-layout.ts";
import type { Contract } from "./messages.ts";

const RentalKind = z.enum(["ondemand", "bid"]);

/** What is searched for. The disk is part of every price. */
const Search = z.strictObject({ filters: Filters, type: RentalKind, limit: SearchLimit.optional() });

const Changed = z.strictObject({
  search: Search,
  /** The offers that the page holds don't fit the search. */
  mustRead: z.boolean(),
  /** The column that the person chose in the menu to sort by. */
  sort: z.enum(SORTS).optional(),
});
export type ChangedSearch = z.infer<typeof Changed>;

const Listed = z.strictObject({
  table: OfferTable,
  unreadable: z.int().nonnegative(),
  /** There may be more than were read. */
  isCut: z.boolean(),
  /** Epoch milliseconds. */
  at: z.number(),
  /** What every price is of: the search may have changed since. GB. */
  type: RentalKind,
  diskGb: z.number(),
});
export type ListedOffers = z.infer<typeof Listed>;

/** An offer that the host showed. It takes no other, and reads it again before anything is asked. */
const OneOffer = z.strictObject({ id: z.int().positive() });

export const offersPage = {
  /** Always asked first, once. */
  open: {
    question: z.null(),
    answer: z.strictObject({
      search: Search,
      layout: OffersLayout,
      language: z.string(),
      dictionary: z.record(z.string(), z.string()),
    }),
  },
  /** Everything rentable, but for filters on fields that the table doesn't have. */
  read: { question: z.null(), answer: Listed },
  /** Asks the person for one filter, or shows the menu of all of them. Undefined if they chose nothing. */
  filter: { question: z.strictObject({ field: z.string().optional() }), answer: Changed.optional() },
  /** Removes one filter, or all of them. */
  loosen: { question: z.strictObject({ field: z.string().optional() }), answer: Changed },
  /** Asks the person how many offers the service may return, or takes that away. Undefined if they chose nothing. */
  limit: { question: z.enum(["ask", "remove"]), answer: Changed.optional() },
  type: { question: RentalKind, answer: Changed },
  /** GB. */
  disk: { question: OfferJob.shape.diskGb, answer: Changed },
  /** Kept for the next time. */
  keep: { question: OffersLayout, answer: z.null() },
  /** Opens the ordinary launch with the offer: its questions, its summary, its confirmation. */
  review: { question: OneOffer, answer: z.null() },
  watch: { question: OneOffer, answer: z.null() },
  /** Copies the filters as a template file has them. */
  copy: { question: z.null(), answer: z.null() },
  /** Asks for a template and saves the filters in it. */
  saveToTemplate: { question: z.null(), answer: z.null() },
} as const satisfies Contract;
export type OffersContract = typeof offersPage;

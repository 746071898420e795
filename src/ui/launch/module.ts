// Launching, replacing dead machines, and unresolved launches.
import type * as vscode from "vscode";
import type { OfferSearch } from "../../domain/offer/offer-search.ts";
import { TemplateLaunch } from "../../domain/template/template-proposals.ts";
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Notes } from "../../services/core/notes.ts";
import { showError } from "../kit/errors.ts";
import type { Module } from "../kit/module.ts";
import { OffersPanel } from "../offer/offers-panel.ts";
import { showPriceWatches } from "../offer/price-watches.ts";
import { watchPrice } from "../offer/watch-price.ts";
import { findGivenTemplate } from "../template/template-commands.ts";
import { blockMachine } from "./block-machine.ts";
import { createOffersHandlers } from "./explore-offers.ts";
import { launchFromOffer, launchFromTemplate } from "./launch-commands.ts";
import type { LaunchServices } from "./launch-services.ts";
import { mountVolume } from "./mount-volume.ts";
import { replaceInstance } from "./replace-command.ts";
import { reviewWatched, tellPrice } from "./review-watched.ts";
import { launchSameAgain } from "./same-again.ts";
import { reviewUnresolved, tellNotice } from "./unresolved-launches.ts";

interface Parts extends LaunchServices {
  readonly notes: Notes;
}

interface LaunchModule extends Module {
  /** Opens a new page of offers, with this search. @throws AppError `signed-out`. */
  readonly exploreOffers: (asked: (fresh: OfferSearch) => OfferSearch) => void;
}

export function createLaunchModule(services: Parts, extension: vscode.Uri, bag: Bag): LaunchModule {
  bag.add(
    services.watch.onNotice((notice) => {
      tellNotice(services, notice).catch((error) => showError(error, services.log));
    }),
  );
  bag.add(
    services.priceWatches.onNotice((notice) => {
      tellPrice(services, notice).catch((error) => showError(error, services.log));
    }),
  );
  const explorer = bag.add(new OffersPanel(extension, services, createOffersHandlers(services)));
  return {
    exploreOffers: (asked) => explorer.show(asked),
    commands: {
      [commands.offersWatch]: () => watchPrice(services, services.session.requireSignedIn()),
      [commands.offersWatches]: () =>
        showPriceWatches(services, (account, watch, offer) => reviewWatched(services, account, watch, offer)),
      [commands.launchFromTemplate]: async ([given, proposed]) => {
        const account = services.session.requireSignedIn();
        const template = (await findGivenTemplate(services, account, given))?.value;
        // Rows come with other rows.
        await launchFromTemplate(services, account, template, TemplateLaunch.safeParse(proposed).data);
      },
      [commands.launchFromOffer]: () => launchFromOffer(services),
      [commands.offersExplore]: async () => explorer.show(),
      [commands.instanceReplace]: (args) => replaceInstance(services, args),
      [commands.instanceBlockMachine]: (args) => blockMachine(services, args),
      [commands.instanceSameAgain]: (args) => launchSameAgain(services, args),
      [commands.launchBackToSummary]: () => services.documents.endReading(),
      [commands.volumeMount]: (args) => mountVolume(services, args),
      [commands.launchReview]: (args) => reviewUnresolved(services, args),
    },
    views: [],
  };
}

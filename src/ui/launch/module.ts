// Launching, replacing dead machines, and unresolved launches.
import { commands } from "../../ids.ts";
import type { Bag } from "../../lib/disposable.ts";
import { showError } from "../kit/errors.ts";
import type { Module } from "../kit/module.ts";
import { showPriceWatches } from "../offer/price-watches.ts";
import { watchPrice } from "../offer/watch-price.ts";
import { templateOf } from "../template/template-commands.ts";
import { blockMachine } from "./block-machine.ts";
import { launchFromOffer, launchFromTemplate } from "./launch-commands.ts";
import type { LaunchServices } from "./launch-services.ts";
import { replaceInstance } from "./replace-command.ts";
import { reviewWatched, tellPrice } from "./review-watched.ts";
import { launchSameAgain } from "./same-again.ts";
import { review, tellNotice } from "./unresolved-launches.ts";

export function createLaunchModule(services: LaunchServices, bag: Bag): Module {
  bag.add(services.watch.onNotice((notice) => void tellNotice(services, notice)));
  bag.add(
    services.priceWatches.onNotice((notice) => {
      tellPrice(services, notice).catch((error) => showError(error, services.log));
    }),
  );
  return {
    commands: {
      [commands.offersWatch]: () => watchPrice(services),
      [commands.offersWatches]: () =>
        showPriceWatches(services, (account, watch, offer) => reviewWatched(services, account, watch, offer)),
      [commands.launchFromTemplate]: async ([given]) =>
        await launchFromTemplate(services, (await templateOf(services, given))?.value),
      [commands.launchFromOffer]: () => launchFromOffer(services),
      [commands.instanceReplace]: (args) => replaceInstance(services, args),
      [commands.instanceBlockMachine]: (args) => blockMachine(services, args),
      [commands.instanceSameAgain]: (args) => launchSameAgain(services, args),
      [commands.launchBackToReceipt]: () => services.documents.endReading(),
      [commands.launchReview]: (args) => review(services, args),
    },
    views: [],
  };
}

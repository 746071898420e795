// Overlay networks: created once, joined by the machines of a group, and deleted with exactly what was shown.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { findClusters, listDistinctMachines } from "../../../src/domain/group/choose-machines.ts";
import { toGroupPlan } from "../../../src/domain/group/group-plan.ts";
import { writeHandOver } from "../../../src/domain/group/hand-over/hand-over.ts";
import { findOverlay, type OverlayWish } from "../../../src/domain/instance/overlay.ts";
import type { Offer } from "../../../src/domain/offer/offer.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { readHandOver } from "../../../src/services/group/read-hand-over.ts";
import { rebuildPlan } from "../../../src/services/launch/rebuild-plan.ts";
import { findReplacement } from "../../../src/services/launch/replacement.ts";
import { WHOLE_MARKET } from "../../../src/services/offer/offers.ts";
import { clockAt } from "../editor-window.ts";
import { decided, draftOf, groupWindow, rentGroup, runningGroup } from "../group-windows.ts";

const NEVER = new AbortController().signal;
const HAS_SSH = ["ssh", "ssh-keygen"].every((name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined);

/** A window with the machines of a cluster. */
async function clusterWindow(options: SandboxOptions = {}) {
  const window = await groupWindow(options);
  return { ...window, ...(await findCluster(window)) };
}

async function findCluster(window: Pick<Awaited<ReturnType<typeof groupWindow>>, "offers" | "service">) {
  const { offers } = await window.offers.search(anySearch, NEVER, WHOLE_MARKET);
  const [cluster] = findClusters(offers, { isApart: false });
  assert.ok(cluster && cluster.offers.length >= 3, "the sandbox has a cluster");
  for (const { id } of cluster.offers) window.service.world.setFate(id, "runs");
  return { cluster: cluster.id, standing: cluster.offers };
}

const into = (cluster: number, name = "net", isNew = true): OverlayWish => ({ name, cluster, isNew });

/** The methods of requests about networks. */
const sent = ({ lines }: Pick<Awaited<ReturnType<typeof groupWindow>>, "lines">) =>
  lines.filter(({ path }) => path.includes("/overlay/")).map(({ method }) => method);

describe("a group in an overlay network", () => {
  test("is rented into one that is created once, before anything is rented", async () => {
    const window = await clusterWindow();
    const { id, why } = await rentGroup(
      window,
      draftOf(window.standing.slice(0, 3), { overlay: into(window.cluster) }),
    );
    assert.equal(why, undefined);
    assert.equal(await decided(window, id), "complete");
    assert.deepEqual(
      window.service.world.overlays.list().map(({ name }) => name),
      ["net"],
    );
    assert.deepEqual(
      window.instances.rows.map(({ value }) => findOverlay(value.extra_env)),
      ["net", "net", "net"],
    );
    const [facts] = await window.overlays.list(window.me());
    assert.equal(facts?.members.length, 3);
    assert.ok(facts?.members.every(({ row }) => row !== undefined));
  });

  test("rents nothing if the network can't be created", async () => {
    const window = await clusterWindow();
    const wish = { ...into(window.cluster), name: "net" };
    window.service.world.overlays.create({ cluster_id: 999, name: "net" }, new Set([999]));
    await assert.rejects(
      rentGroup(window, draftOf(window.standing.slice(0, 2), { overlay: wish })),
      /so nothing was rented\. You already have an overlay network named “net” in another cluster/,
    );
    assert.equal(window.creates().length, 0);
    assert.equal(window.groups.all.length, 0);
  });

  test("takes one that is there already under that name, so a second try makes no second one", async () => {
    const window = await clusterWindow();
    await window.overlays.create(window.me(), into(window.cluster));
    const { id } = await rentGroup(window, draftOf(window.standing.slice(0, 2), { overlay: into(window.cluster) }));
    assert.equal(await decided(window, id), "complete");
    assert.equal(window.service.world.overlays.list().length, 1);
  });

  test("has none where the machines don't all stand in its cluster", async () => {
    const window = await clusterWindow();
    const [one] = window.standing;
    const mixed = [one, window.offers4[0]] as Offer[];
    assert.equal(toGroupPlan(draftOf(mixed, { overlay: into(window.cluster) })).overlay, undefined);
    const other = toGroupPlan(draftOf(window.standing.slice(0, 2), { overlay: into(window.cluster + 1) }));
    assert.equal(other.overlay, undefined);
    assert.deepEqual(
      other.machines.map(({ overlay }) => overlay),
      [undefined, undefined],
    );
  });

  test("loses no member to a machine that can't join it", async () => {
    const window = await clusterWindow();
    await rentGroup(window, draftOf(window.standing.slice(0, 2), { overlay: into(window.cluster) }));
    const [row] = window.instances.rows;
    assert.ok(row);
    const terms = await rebuildPlan(window, window.me(), row);
    assert.equal(terms.plan.overlay, "net");
    const next = await findReplacement(window.offers, new Set(), terms);
    if (next) assert.equal(next.offer.cluster_id, window.cluster);
    const elsewhere = { ...terms, plan: { ...terms.plan, offer: { ...terms.plan.offer, cluster_id: 77 } } };
    assert.equal(await findReplacement(window.offers, new Set(), elsewhere), undefined);
  });

  test("rents nothing if the network was deleted meanwhile", async () => {
    const window = await clusterWindow();
    const overlay = into(window.cluster, "left", false);
    await assert.rejects(
      rentGroup(window, draftOf(window.standing.slice(0, 3), { overlay })),
      /so nothing was rented\. Overlay network “left” no longer exists/,
    );
    assert.equal(window.creates().length, 0);
  });
});

describe("an overlay network", () => {
  test("is deleted with its instances, which are looked for afterward", async () => {
    const window = await clusterWindow();
    await rentGroup(window, draftOf(window.standing.slice(0, 2), { overlay: into(window.cluster) }));
    const [facts] = await window.overlays.list(window.me());
    assert.ok(facts);
    assert.deepEqual(await window.overlays.delete(window.me(), facts), []);
    assert.equal(window.service.world.listInstances().length, 0);
    assert.deepEqual(await window.overlays.list(window.me()), []);
  });

  test("isn't deleted if another instance joined it since it was shown", async () => {
    const window = await clusterWindow();
    await rentGroup(window, draftOf(window.standing.slice(0, 2), { overlay: into(window.cluster) }));
    const [facts] = await window.overlays.list(window.me());
    assert.ok(facts);
    const before = { ...facts, members: facts.members.slice(1) };
    await assert.rejects(
      window.overlays.delete(window.me(), before),
      /has changed since you looked at it\. Nothing was destroyed/,
    );
    assert.equal(window.service.world.listInstances().length, 2);
    assert.equal(sent(window).filter((method) => method === "DELETE").length, 0);
  });

  test("is named as unconfirmed as long as the service lists it", async () => {
    const window = await clusterWindow({ faults: ["reset-before@deleteOverlay"] });
    await window.overlays.create(window.me(), into(window.cluster));
    const [facts] = await window.overlays.list(window.me());
    assert.ok(facts);
    await assert.rejects(window.overlays.delete(window.me(), facts), { kind: "outcome-unknown" });
  });

  test("stays as it was behind a gateway that answers for the service", async () => {
    const window = await clusterWindow({ faults: ["404-html@deleteOverlay"] });
    await window.overlays.create(window.me(), into(window.cluster));
    const [facts] = await window.overlays.list(window.me());
    assert.ok(facts);
    await assert.rejects(window.overlays.delete(window.me(), facts));
    assert.equal((await window.overlays.list(window.me())).length, 1);
  });

  test("is neither created nor deleted in an account that didn't confirm it", async () => {
    const window = await clusterWindow();
    await window.overlays.create(window.me(), into(window.cluster));
    const account = window.me();
    const [facts] = await window.overlays.list(account);
    assert.ok(facts);
    await window.session.signOut();
    await assert.rejects(window.overlays.delete(account, facts));
    await assert.rejects(window.overlays.ensure(account, into(window.cluster, "other")));
    assert.equal(window.service.world.overlays.list().length, 1);
  });

  test("is proposed under a free name, and not at all by a service without networks", async () => {
    const window = await clusterWindow();
    const account = window.me();
    assert.deepEqual(await window.overlays.suggest(account, window.cluster, "sweep"), into(window.cluster, "sweep"));
    await window.overlays.create(account, into(window.cluster, "sweep"));
    assert.equal((await window.overlays.suggest(account, window.cluster, "sweep"))?.name, "sweep-2");
    await assert.rejects(window.overlays.create(account, into(window.cluster, "sweep")), /already/);
  });
});

describe("a group that runs in an overlay network", { skip: !HAS_SSH && "OpenSSH is not installed" }, () => {
  test("is handed over with its addresses, and the scripts of the engines that need them", async () => {
    const window = await runningGroup(2, { clock: clockAt(3) }, async (started) => {
      const { cluster, standing } = await findCluster(started);
      return { offers: listDistinctMachines(standing, { isApart: false }).slice(0, 2), overlay: into(cluster) };
    });
    const { given, left } = await readHandOver(window, window.me(), window.group, () => {}, NEVER);
    assert.deepEqual(left, []);
    assert.ok(
      given.hosts.every(({ overlayIp }) => /^10\.77\.\d+\.\d+$/.test(overlayIp ?? "")),
      JSON.stringify(given.hosts),
    );
    const files = new Map(writeHandOver(given).map((file) => [file.name, file]));
    for (const name of ["torchrun.sh", "ray.sh"]) assert.ok("text" in (files.get(name) ?? {}), name);
  });
});

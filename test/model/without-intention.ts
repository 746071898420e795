// A client that doesn't hear what an instance is meant to do: what its owner stopped looks like one that crashed.
import type { Client } from "../../src/api/client.ts";
import type { Instance } from "../../src/domain/instance/instance.ts";

const forget = <Row extends { readonly value: Instance }>(row: Row): Row => ({
  ...row,
  value: { ...row.value, intended_status: "running", cur_state: "running" },
});

export function withoutIntention(client: Client): Client {
  const listInstances: Client["listInstances"] = async (...given) => {
    const listed = await client.listInstances(...given);
    return { ...listed, rows: listed.rows.map(forget) };
  };
  const getInstance: Client["getInstance"] = async (...given) => {
    const row = await client.getInstance(...given);
    return row && forget(row);
  };
  const own = { listInstances, getInstance };
  return new Proxy(client, { get: (target, name) => Reflect.get(name in own ? own : target, name) });
}

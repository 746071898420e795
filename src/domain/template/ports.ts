// Port mappings as docker writes them (interface 4.3).

/** `8080:8080`, `8080:8080/udp`; `70000:70000` and above for identity ports. */
export function isPortMapping(text: string): boolean {
  const [, host, container] = /^(\d{1,5}):(\d{1,5})(?:\/(?:tcp|udp))?$/.exec(text) ?? [];
  const [from, to] = [Number(host), Number(container)];
  const identity = from >= 70_000 && from === to;
  return identity || (from >= 1 && from <= 65_535 && to >= 1 && to <= 65_535);
}

/** `[address:][host:]container[/protocol]`, with ranges, as docker takes it. */
const DOCKER_PORT =
  /^(?:(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-fA-F:.]{2,45}\]):)?(?:(\d{0,5}(?:-\d{1,5})?):)?(\d{1,5}(?:-\d{1,5})?)(?:\/(?:tcp|udp|sctp))?$/;

/** Whether docker takes a mapping that the interface doesn't describe. */
export function isDockerPort(text: string): boolean {
  const [, host = "", container = ""] = DOCKER_PORT.exec(text) ?? [];
  const ports = `${host}-${container}`.split("-").filter((port) => port !== "");
  return container !== "" && ports.every((port) => Number(port) >= 1 && Number(port) <= 65_535);
}

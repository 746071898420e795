// Port mappings as docker writes them (interface 4.3).

/** `8080:8080`, `8080:8080/udp`; `70000:70000` and above for identity ports. */
export function isPortMapping(text: string): boolean {
  const [, host, container] = /^(\d{1,5}):(\d{1,5})(?:\/(?:tcp|udp))?$/.exec(text) ?? [];
  const [from, to] = [Number(host), Number(container)];
  const identity = from >= 70_000 && from === to;
  return identity || (from >= 1 && from <= 65_535 && to >= 1 && to <= 65_535);
}

// The graphics cards of the sandbox's market: their names, memory and prices.

export interface Gpu {
  /** As the service writes it, with spaces. */
  readonly name: string;
  /** MB of one card as its driver reports it. */
  readonly ram: number;
  /** Typical price, dollars per hour and card. */
  readonly price: number;
  /** Deep-learning score of one card. */
  readonly dlperf: number;
  readonly tflops: number;
  /** GB/s. */
  readonly bandwidth: number;
  readonly watts: number;
  /** Compute capability times 100. */
  readonly capability: number;
  readonly home: "desk" | "workstation" | "rack";
  /** The number of such machines. */
  readonly machines: number;
  /** Possible numbers of GPUs per machine. */
  readonly counts: readonly number[];
}

type Row = [string, number, number, number, number, number, number, number, Gpu["home"], number, number[]];

const ROWS: readonly Row[] = [
  // name, MB, $/h, dlperf, TFLOPS, GB/s, W, capability, home, machines, GPUs
  ["GTX 1080 Ti", 11264, 0.055, 10.2, 11.3, 484, 250, 610, "desk", 3, [1, 4, 8]],
  ["RTX 2080 Ti", 11264, 0.075, 19.8, 13.4, 616, 250, 750, "desk", 2, [1, 4]],
  ["RTX 3060", 12288, 0.062, 12.9, 12.7, 360, 170, 860, "desk", 6, [1, 1, 2, 8]],
  ["RTX 3080", 10240, 0.105, 28.4, 29.8, 760, 320, 860, "desk", 3, [1, 2]],
  ["RTX 3090", 24576, 0.168, 38.6, 35.6, 936, 350, 860, "desk", 12, [1, 1, 2, 4, 8]],
  ["RTX 3090 Ti", 24564, 0.195, 43.1, 40, 1008, 450, 860, "desk", 2, [1, 2]],
  ["RTX 4060 Ti", 16380, 0.098, 18.7, 22.1, 288, 165, 890, "desk", 4, [1, 2, 4]],
  ["RTX 4070 Ti", 12282, 0.135, 36.5, 40.1, 504, 285, 890, "desk", 2, [1]],
  ["RTX 4080", 16376, 0.215, 52.8, 48.7, 717, 320, 890, "desk", 3, [1, 2]],
  ["RTX 4090", 24564, 0.345, 94.6, 82.6, 1008, 450, 890, "desk", 14, [1, 1, 2, 4, 8]],
  ["RTX 5080", 16303, 0.26, 82.3, 56.3, 960, 360, 1200, "desk", 3, [1]],
  ["RTX 5090", 32607, 0.495, 168.2, 104.8, 1792, 575, 1200, "desk", 10, [1, 1, 2, 4, 8]],
  ["RTX A4000", 16376, 0.115, 22.6, 19.2, 448, 140, 860, "workstation", 4, [1, 2, 4]],
  ["RTX A5000", 24564, 0.205, 32.4, 27.8, 768, 230, 860, "workstation", 4, [1, 2, 4]],
  ["RTX A6000", 49140, 0.42, 43.9, 38.7, 768, 300, 860, "workstation", 5, [1, 2, 4]],
  ["RTX 6000 Ada", 49140, 0.64, 96.3, 91.1, 960, 300, 890, "workstation", 3, [1, 2, 4]],
  ["RTX PRO 6000 WS", 97887, 0.98, 201.4, 125, 1792, 600, 1200, "workstation", 3, [1, 2]],
  ["Tesla T4", 15360, 0.11, 11.9, 8.1, 320, 70, 750, "rack", 3, [1, 4]],
  ["Tesla V100", 32768, 0.225, 30.1, 15.7, 900, 300, 700, "rack", 3, [1, 8]],
  ["A10", 23028, 0.24, 30.8, 31.2, 600, 150, 860, "rack", 3, [1, 4]],
  ["A40", 46068, 0.39, 41.7, 37.4, 696, 300, 860, "rack", 3, [1, 4]],
  ["L4", 23034, 0.32, 27.3, 30.3, 300, 72, 890, "rack", 3, [1, 4]],
  ["L40S", 46068, 0.66, 95.2, 91.6, 864, 350, 890, "rack", 4, [1, 4, 8]],
  ["A100 PCIE", 40960, 0.58, 64.9, 19.5, 1555, 250, 800, "rack", 2, [1, 4]],
  ["A100 PCIE", 81920, 0.78, 69.4, 19.5, 1935, 300, 800, "rack", 3, [1, 4]],
  ["A100 SXM4", 40960, 0.66, 71.5, 19.5, 1555, 400, 800, "rack", 2, [1, 8]],
  ["A100 SXM4", 81920, 0.92, 77.8, 19.5, 2039, 400, 800, "rack", 4, [1, 4, 8]],
  ["H100 PCIE", 81559, 1.72, 128.3, 51.2, 2039, 350, 900, "rack", 3, [1, 2]],
  ["H100 NVL", 95830, 1.88, 146.9, 60, 3938, 400, 900, "rack", 3, [1, 2, 4]],
  ["H100 SXM", 81559, 2.05, 187.5, 66.9, 3352, 700, 900, "rack", 5, [1, 2, 8]],
  ["H200", 143771, 2.48, 203.7, 66.9, 4800, 700, 900, "rack", 4, [1, 4, 8]],
  ["B200", 183359, 3.75, 361.2, 75, 8000, 1000, 1000, "rack", 3, [1, 8]],
  ["MI300X", 196592, 1.95, 158.6, 163.4, 5300, 750, 940, "rack", 2, [1, 8]],
];

export const GPUS: readonly Gpu[] = ROWS.map(
  ([name, ram, price, dlperf, tflops, bandwidth, watts, capability, home, machines, counts]) => ({
    name,
    ram,
    price,
    dlperf,
    tflops,
    bandwidth,
    watts,
    capability,
    home,
    machines,
    counts,
  }),
);

import { parseCidr, toText } from "./ip.ts"

type Version = 4 | 6

/** All addresses between two, both included. */
interface Span {
  readonly first: bigint
  readonly last: bigint
}

const versions = [4, 6] as const

/** The addresses of some networks, in order and without gaps or overlaps. */
const spansOf = (version: Version, networks: ReadonlyArray<string>): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  const ranges = networks.flatMap((_) => parseCidr(_) ?? []).filter((_) => _.version === version)
  for (const { first, last } of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = spans.at(-1)
    if (before === undefined || before.last + 1n < first) spans.push({ first, last })
    else if (before.last < last) spans.splice(-1, 1, { first: before.first, last })
  }
  return spans
}

/** The fewest networks that have exactly the addresses of a span. */
const networksOf = (version: Version, { first, last }: Span): ReadonlyArray<string> => {
  const bits = version === 4 ? 32 : 128
  const networks: Array<string> = []
  for (let at = first; at <= last;) {
    let free = 0
    const fits = (more: number) => at % (1n << BigInt(more)) === 0n && at + (1n << BigInt(more)) - 1n <= last
    while (free < bits && fits(free + 1)) free += 1
    networks.push(`${toText(version, at)}/${bits - free}`)
    at += 1n << BigInt(free)
  }
  return networks
}

const cut = (span: Span, gone: Span): ReadonlyArray<Span> =>
  gone.last < span.first || span.last < gone.first
    ? [span]
    : [
        { first: span.first, last: gone.first - 1n },
        { first: gone.last + 1n, last: span.last }
      ].filter((_) => _.first <= _.last)

/** The same addresses as the fewest networks, in order: Neutron keeps the prefixes of a pool so. */
export const merged = (networks: ReadonlyArray<string>): ReadonlyArray<string> => without(networks, [])

/** The addresses of some networks that are in none of the others. */
export const without = (networks: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> =>
  versions.flatMap((version) =>
    spansOf(version, others)
      .reduce<ReadonlyArray<Span>>((left, gone) => left.flatMap((_) => cut(_, gone)), spansOf(version, networks))
      .flatMap((_) => networksOf(version, _))
  )

/** Whether the networks have every address of the others. */
export const covers = (networks: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  without(others, networks).length === 0

/** The same numbers one after the other for the same seed, from 0 to 1 (mulberry32). */
export const randomOf = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export type Random = ReturnType<typeof randomOf>

/** One of these, each as likely as its weight says. */
export const pickWeighted = <A>(random: Random, weighted: ReadonlyArray<readonly [A, number]>): A | undefined => {
  let left = random() * weighted.reduce((sum, [, weight]) => sum + weight, 0)
  return weighted.find(([, weight]) => (left -= weight) < 0)?.[0]
}

export const pick = <A>(random: Random, all: ReadonlyArray<A>): A | undefined => all[Math.floor(random() * all.length)]

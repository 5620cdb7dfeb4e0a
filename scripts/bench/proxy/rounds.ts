import { Effect } from "effect"
import type { Contender } from "./contenders.ts"

/** A contender with what was measured of it, a value a round. */
export interface Series<C, A> {
  readonly contender: C
  readonly values: ReadonlyArray<A>
}

/**
 * Measures every contender once a round, each round beginning with another
 * one and every second one in reverse, so that a busy machine disturbs all
 * alike, and nobody always follows the same one. The warm-up is the same once,
 * and forgotten.
 */
export const inRounds = Effect.fnUntraced(function* <C extends { readonly name: string }, A, E, R>(
  contenders: ReadonlyArray<C>,
  rounds: number,
  measure: (contender: C, warmUp: boolean) => Effect.Effect<A, E, R>
) {
  const series = contenders.map((contender) => ({ contender, values: Array<A>() }))
  yield* Effect.forEach(contenders, (_) => measure(_, true), { discard: true })
  for (let round = 0; round < rounds; round++) {
    const first = round % series.length
    const order = [...series.slice(first), ...series.slice(0, first)]
    for (const { contender, values } of round % 2 === 0 ? order : order.toReversed()) {
      values.push(yield* measure(contender, false))
    }
  }
  return series satisfies ReadonlyArray<Series<C, A>>
})

/** The series of the contender of this name; none when it takes no part. */
export const seriesOf = <C extends Pick<Contender, "name">, A>(
  all: ReadonlyArray<Series<C, A>>,
  name: string
): ReadonlyArray<A> => all.find((_) => _.contender.name === name)?.values ?? []

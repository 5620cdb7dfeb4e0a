import { Cause, Context, Effect, Exit, Layer } from "effect"
import type { Cases, Program } from "./Case.ts"
import { normal } from "./outcome.ts"
import { Systems } from "./Systems.ts"

/** What a case came to; one that broke off has no outcome but a reason. */
export interface Ran {
  readonly outcome?: unknown
  readonly broken?: string
}

/** What every case came to on one target, normalised. */
export class Outcomes extends Context.Service<Outcomes, { of(client: string, name: string): Ran }>()(
  "portico/upstream/test/Outcomes"
) {
  /**
   * Runs everything while the layer is built: a client's cases one after the
   * other, and so many clients at once. A case that breaks off is run again,
   * once: a busy service may break a call off, and Vitest would only repeat
   * what is asserted of the outcome.
   *
   * @param inTime what makes time pass for a case that waits
   */
  static readonly layerOf = (
    suites: Readonly<Record<string, Cases>>,
    clientsAtOnce: number,
    inTime: (program: Program) => Program = (_) => _
  ) =>
    Layer.effect(
      Outcomes,
      Effect.gen(function* () {
        const { known } = yield* Systems
        const found = new Map<string, Ran>()
        const run = Effect.fnUntraced(function* ([client, cases]: readonly [string, Cases]) {
          for (const [name, program] of Object.entries(cases)) {
            const exit = yield* Effect.exit(Effect.retry(inTime(program), { times: 1 }))
            found.set(
              keyOf(client, name),
              Exit.isSuccess(exit)
                ? { outcome: normal(exit.value, known) }
                : { broken: Cause.prettyErrors(exit.cause).map(String).join(", ") }
            )
          }
        })
        yield* Effect.forEach(Object.entries(suites), run, { concurrency: clientsAtOnce, discard: true })
        return Outcomes.of({ of: (client, name) => found.get(keyOf(client, name)) ?? { broken: "it was not run" } })
      })
    )
}

const keyOf = (client: string, name: string) => `${client}: ${name}`

import { Context, Effect, Layer, Option, Predicate, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Fields, type Format, Output as OutputFlag, Query } from "../globalFlags.ts"
import { Screen } from "../Screen.ts"
import { at, listIn, picked } from "./fields.ts"
import { forms } from "./forms.ts"
import { queryOf } from "./query.ts"
import type { View } from "./View.ts"

export type { View } from "./View.ts"

/** So many rows, or so long, are written at once. */
const batch = { rows: 100, time: "100 millis" } as const

const shapeOf = (value: unknown): string => (Predicate.isObject(value) ? Object.keys(value).join(", ") : "no fields")

/** Rows with the chosen fields. In the end, a field that no row had is a mistake in the command line. */
const pickerOf = (fields: ReadonlyArray<string> | undefined) => {
  const missing = new Set(fields)
  let sample: unknown
  return {
    pick: (row: unknown): unknown => {
      if (fields === undefined) return row
      sample ??= row
      for (const field of missing) if (at(row, field) !== undefined) missing.delete(field)
      return Predicate.isObject(row) ? picked(row, fields) : row
    },
    lacks: () => missing.size > 0,
    checked: Effect.suspend(() => {
      const [field] = missing
      if (field === undefined || sample === undefined) return Effect.void
      return new CliFailure({
        exit: "usage",
        message: `There is no field '${field}'`,
        hint: `There are: ${shapeOf(sample)}`
      })
    })
  }
}

/**
 * Prints results in the form that was asked for: a table on a terminal, and JSON
 * elsewhere.
 *
 * A list is an array in every form, however many pages it came in, and whatever
 * else the body of a page has (links to other pages, counts): a script reads
 * `portico … --output json` the same for one page and for a hundred. A body that
 * has more than one array and links is one object, and shown as it is.
 */
export class Output extends Context.Service<
  Output,
  {
    readonly format: Format
    /** One result: fields below each other, or a table when it is a list. Nothing, when there is none. */
    readonly show: (value: unknown, view?: View) => Effect.Effect<void, CliFailure>
    /** As `show`; the answer is what of the value was printed. */
    readonly printed: (value: unknown, view?: View) => Effect.Effect<unknown, CliFailure>
    /** Rows as they come. With `--query`, when all have come; of a live view, each row for itself. */
    readonly rows: <E, R>(rows: Stream.Stream<unknown, E, R>, view?: View) => Effect.Effect<void, E | CliFailure, R>
  }
>()("portico/cli/Output") {
  static readonly layer = Layer.effect(
    Output,
    Effect.gen(function* () {
      const screen = yield* Screen
      const fields = yield* Fields
      const format = Option.getOrElse(yield* OutputFlag, (): Format => (screen.out.isTerminal ? "table" : "json"))
      const expression = Option.getOrUndefined(yield* Query)
      const query = expression === undefined ? undefined : yield* queryOf(expression)

      const listed = Effect.fnUntraced(function* <E, R>(rows: Stream.Stream<unknown, E, R>, view: View) {
        const { checked, lacks, pick } = pickerOf(fields)
        const form = forms[format](screen, { view, fields })
        let count = 0
        // What has not had every chosen field yet waits, so that a mistake is said before anything is printed.
        let held: ReadonlyArray<unknown> = []
        yield* rows.pipe(
          Stream.map(pick),
          Stream.groupedWithin(batch.rows, batch.time),
          Stream.runForEach((_) => {
            count += _.length
            const all = [...held, ..._]
            held = view.live !== true && lacks() ? all : []
            return held.length > 0 ? Effect.void : form.rows(all)
          })
        )
        if (held.length > 0) yield* checked
        yield* form.end(count)
        yield* checked
      })

      /**
       * The call is over, and its result may have a secret that is shown this
       * once: what cannot be cut to the wish of the caller is printed whole.
       */
      const orWhole = <A>(value: unknown, cut: Effect.Effect<A, CliFailure>) =>
        Effect.tapError(cut, () => forms[format](screen, { view: {}, fields: undefined }).one(value))

      const shown = Effect.fnUntraced(function* (value: unknown, view: View) {
        const list = listIn(value)
        // The words of a view are those of the whole value.
        const worded = format === "table" && view.text !== undefined && fields === undefined
        if (list !== undefined && !worded) {
          yield* listed(Stream.fromIterable(list), view)
          return format === "name" ? undefined : list
        }
        const { checked, pick } = pickerOf(fields)
        const picked = pick(value)
        yield* orWhole(value, checked)
        yield* forms[format](screen, { view, fields }).one(picked)
        return format === "name" && Predicate.isObject(picked) ? undefined : picked
      })

      /** A query makes something else of the value: the view is no longer its own. */
      const printed = Effect.fnUntraced(function* (value: unknown, view: View = {}) {
        if (value === undefined) return undefined
        if (query === undefined) return yield* shown(value, view)
        return yield* shown(yield* orWhole(value, query(listIn(value) ?? value)), {})
      })
      const show = (value: unknown, view?: View) => Effect.asVoid(printed(value, view))

      const rows = <E, R>(
        rows: Stream.Stream<unknown, E, R>,
        view: View = {}
      ): Effect.Effect<void, E | CliFailure, R> =>
        query === undefined
          ? listed(rows, view)
          : view.live === true
            ? listed(Stream.mapEffect(rows, query), { live: true })
            : Effect.flatMap(Stream.runCollect(rows), (_) => show(_, view))

      return { format, show, printed, rows }
    })
  )
}

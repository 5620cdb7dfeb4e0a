import { Effect, Stream } from "effect"
import { Output } from "../output/Output.ts"
import { Screen } from "../Screen.ts"

/** Prints one row of an endless list: a line for people, a line of JSON, or what else was asked for. */
export const printerOf = <A extends object>(lineOf: (row: A) => string, name: string) =>
  Effect.gen(function* () {
    const { format, rows } = yield* Output
    const { print } = yield* Screen
    return (row: A) => {
      if (format === "table") return print(lineOf(row))
      if (format === "json") return print(JSON.stringify(row))
      return rows(Stream.succeed(row), { name })
    }
  })

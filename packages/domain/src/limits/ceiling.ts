import { Config, Schema } from "effect"

const AtLeastOne = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isGreaterThanOrEqualTo(1)
)

/** A setting for how many of something there may be at once, or in a time. */
export const ceiling = (name: string, usual: number): Config.Config<number> =>
  Config.schema(AtLeastOne, name).pipe(Config.withDefault(usual))

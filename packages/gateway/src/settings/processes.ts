import { Config, Schema } from "effect"

const Threads = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 64 }))

/** How many threads serve the plane of tenants. */
export const processes = Config.schema(Threads, "PORTICO_PROCESSES").pipe(Config.withDefault(1))

import { Config, Schema } from "effect"

const Where = Schema.Literals(["here", "elsewhere"])

/** Whether this process runs the background jobs, or other replicas do. */
export const backgroundJobs = Config.schema(Where, "BACKGROUND_JOBS").pipe(Config.withDefault("here" as const))

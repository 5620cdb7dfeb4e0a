// The one file that knows `effect/cli`, whose modules may change with any release.

export * as Argument from "effect/cli/Argument"
export * as CliConfig from "effect/cli/CliConfig"
export * as CliError from "effect/cli/CliError"
export * as CliOutput from "effect/cli/CliOutput"
export * as Command from "effect/cli/Command"
export * as Flag from "effect/cli/Flag"
export * as GlobalFlag from "effect/cli/GlobalFlag"
export * as Prompt from "effect/cli/Prompt"

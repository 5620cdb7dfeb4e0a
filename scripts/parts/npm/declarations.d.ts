// What the stories use of these packages, so that types are checked without them too.

declare module "@hey-api/openapi-ts" {
  export const createClient: (options: {
    readonly input: string
    readonly output: string
    readonly logs: { readonly level: "silent" }
  }) => Promise<unknown>
}

declare module "@redocly/openapi-core" {
  interface Config {
    readonly rules: unknown
  }
  interface Problem {
    readonly location: ReadonlyArray<{ readonly pointer?: string }>
    readonly message: string
    readonly ruleId: string
  }
  export const createConfig: (options: { readonly extends: ReadonlyArray<string> }) => Promise<Config>
  export const lintFromString: (options: {
    readonly source: string
    readonly config: Config
  }) => Promise<ReadonlyArray<Problem>>
}

declare module "gpt-tokenizer/encoding/o200k_base" {
  export const countTokens: (text: string) => number
}

declare module "openapi-typescript" {
  const generate: (document: URL) => Promise<ReadonlyArray<object>>
  export default generate
  export const astToString: (types: ReadonlyArray<object>) => string
}

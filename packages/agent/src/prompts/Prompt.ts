/** The parts of which a prompt builds its text. */
export interface Words {
  /** The name of an operation's tool, in backticks. */
  tool(operation: string): string
  /**
   * An argument in a block that marks it as data, which nothing in the argument can end. Empty without the argument.
   */
  data(name: string): string
  /** The value of an argument; undefined without it. */
  given(name: string): string | undefined
  /** Cause and fix of a code; undefined for a code that the catalogue does not have. */
  advice(code: string): { readonly cause: string; readonly fix: string } | undefined
}

/** A prompt of the MCP server. */
export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly required?: true
    /** The values to which clients can complete it. */
    readonly values?: ReadonlyArray<string>
  }>
  text(words: Words): string
}

/** How a result looks to people. Every other form is made of the value itself. */
export interface View {
  /** The columns of a table, as names of fields, the most important first; those that fit, when absent. */
  readonly columns?: ReadonlyArray<string> | undefined
  /** The field that `--output name` prints; the first one that looks like an identifier, when absent. */
  readonly name?: string | undefined
  /** What a person reads in place of an empty table, such as `No databases`. */
  readonly empty?: string | undefined
  /** In place of a table or a list of fields; of `rows`, of each row. */
  readonly text?: ((value: unknown) => string) | undefined
  /** The rows come for as long as the command runs: JSON is one object a line, YAML one document a row. */
  readonly live?: boolean | undefined
}

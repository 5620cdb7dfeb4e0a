import process from "node:process"

/**
 * Lets the process go on when its outputs cannot be written: the disk is full, or the reader of a pipe has ended. Node
 * takes an error of a stream without a listener for a bug of the program, and ends it.
 */
export const outliveOutputs = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

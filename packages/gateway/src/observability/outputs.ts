/**
 * The most bytes of log lines that wait for the reader of a pipe. A reader that has stopped must not fill the memory:
 * further lines are lost.
 */
const longestQueue = 1024 * 1024

/** The lines of the log that could not be written since the process started. */
export const lostLines = { count: 0 }

/**
 * Lets the process go on when its outputs cannot be written: the disk is full, or the reader of a pipe has ended. Node
 * takes an error of a stream without a listener for a bug of the program, and ends it.
 */
export const outliveOutputs = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore)
  }
}

const ignore = (): void => {}

/**
 * For a program whose standard output is what it was started for: it ends when that cannot be written. Where the reader
 * has gone, as in `… | head`, it ends quietly with 141, as shells count SIGPIPE; otherwise with a line on standard error
 * and 1.
 *
 * Returns what calls back when everything is written.
 */
export const endingWithOutput = (name: string): ((written: () => void) => void) => {
  const { stderr, stdout } = process
  stdout.on("error", (error) => {
    if ("code" in error && error.code === "EPIPE") process.exit(141)
    stderr.write(`${name}: the output could not be written: ${error.message}\n`, () => process.exit(1))
  })
  // Node writes to files, pipes and terminals at once, and reports the error of the last write before this.
  return (written) => void setImmediate(written)
}

/**
 * Writes whole lines to standard error, each with its line feed. It never waits and never fails: lines that cannot be
 * written are lost, and counted.
 */
export const writeLines = (lines: string): void => {
  const lose = () => void (lostLines.count += lines.split("\n").length - 1)
  if (process.stderr.writableLength > longestQueue) return lose()
  process.stderr.write(lines, (error) => {
    if (error !== null && error !== undefined) lose()
  })
}

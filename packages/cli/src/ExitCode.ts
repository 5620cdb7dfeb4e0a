/** How the process ends: what a script can tell apart. */
export const exitCodes = {
  done: 0,
  /** A rule forbids it: the call is refused with a 4xx. */
  refused: 1,
  /** The command line itself is wrong; nothing was asked. */
  usage: 2,
  notSignedIn: 3,
  notFound: 4,
  /** The platform failed, or could not be reached. Another attempt may succeed. */
  platform: 5,
  /** The time to wait ended before the work did, which goes on. */
  timedOut: 6,
  /** The program that was to be run is not there, as shells count it. */
  programMissing: 127,
  /** Ctrl-C, as shells count it. */
  interrupted: 130,
  /** The reader of standard output has gone, as in `portico … | head`; as shells count SIGPIPE. */
  pipeClosed: 141
} as const

export type Exit = keyof typeof exitCodes

import { type Clock, Context, Effect } from "effect"
import { UpstreamError } from "./UpstreamError.ts"

/** For whom a call is: a tenant's project, or a person. What concerns nobody in particular is the platform's. */
export const CallOwner = Context.Reference<string>("portico/upstream/CallOwner", { defaultValue: () => "" })

/** Shorter answers are parsed in a millisecond or two, whatever they consist of. */
const longAnswer = 32 * 1024

/** More texts of one owner, or more of their characters, would fill the memory. */
const mostWaiting = { texts: 32, characters: 16 * 1024 * 1024 }

/** In milliseconds. */
const longestWait = 10_000

/** What an answer is of, for failures. */
interface About {
  readonly upstream: string
  readonly call: string
}

/**
 * Waits until a long text may be parsed and checked, which then has to happen at once. All other calls wait meanwhile,
 * and whoever wrote it chose how long it is and of what: two megabytes are parsed in two milliseconds where they are one
 * string, and in three hundred where they are names. So one is parsed at a time, and as long as it took nothing else is.
 * Owners take turns.
 *
 * Errors: `late` when an owner has too many waiting, or has waited too long.
 */
export const turnForText = (owner: string, length: number): Effect.Effect<void, "late"> =>
  Effect.clockWith((clock) => turnOf(owner, length, clock))

const turnOf = (owner: string, length: number, clock: Clock.Clock): Effect.Effect<void, "late"> =>
  Effect.callback((resume) => {
    // Of the machine's time: a test that moves its clock waits for no other call.
    const end = setTimeout(() => {
      texts.leave(owner, text)
      resume(Effect.fail("late"))
    }, longestWait)
    const text = {
      length,
      now: () => clock.currentTimeMillisUnsafe(),
      go: () => {
        clearTimeout(end)
        resume(Effect.void)
      }
    }
    const leave = () => {
      clearTimeout(end)
      texts.leave(owner, text)
    }
    if (texts.enter(owner, text)) return Effect.sync(leave)
    leave()
    resume(Effect.fail("late"))
  })

/** {@link turnForText} for an answer, where that is long. Errors: UpstreamError, which is never transient. */
export const turnToParse = (about: About, length: number): Effect.Effect<void, UpstreamError> =>
  length < longAnswer
    ? Effect.void
    : Effect.flatMap(CallOwner, (owner) => Effect.mapError(turnForText(owner, length), () => late(about)))

const late = (about: About) =>
  new UpstreamError({ ...about, status: 200, detail: "answered 200, and too many long answers are being read" })

interface Waiting {
  readonly length: number
  readonly now: () => number
  readonly go: () => void
}

const lengthOf = (waiting: ReadonlyArray<Waiting>): number => waiting.reduce((sum, _) => sum + _.length, 0)

/** One at a time, owner by owner. Whose turn has come needs not say when it is over, and cannot fail to. */
class Texts {
  /** In the order of their next turns. */
  readonly #waiting = new Map<string, ReadonlyArray<Waiting>>()
  #isBusy = false

  /** Whether there was room; then `go` is called once, at once or later. One that is the only one always has room. */
  enter(owner: string, text: Waiting): boolean {
    const own = [...(this.#waiting.get(owner) ?? []), text]
    if (own.length > mostWaiting.texts) return false
    if (own.length > 1 && lengthOf(own) > mostWaiting.characters) return false
    this.#waiting.set(owner, own)
    if (!this.#isBusy) this.#next()
    return true
  }

  leave(owner: string, text: Waiting): void {
    const own = this.#waiting.get(owner)?.filter((_) => _ !== text) ?? []
    if (own.length === 0) this.#waiting.delete(owner)
    else this.#waiting.set(owner, own)
  }

  #next(): void {
    const [first] = this.#waiting
    this.#isBusy = first !== undefined
    if (first === undefined) return
    const [owner, [next, ...behind]] = first
    this.#waiting.delete(owner)
    if (behind.length > 0) this.#waiting.set(owner, behind)
    if (next === undefined) return this.#next()
    const [begun, now] = [performance.now(), next.now()]
    next.go()
    // The one that goes on was scheduled before this. Where another one waits, everything else then has as much time as
    // it took, by the machine and by a clock that stands still in a test.
    setImmediate(() => {
      const took = Math.min(performance.now() - begun, next.now() - now)
      if (this.#waiting.size === 0) this.#isBusy = false
      else if (took < 1) setImmediate(() => this.#next())
      else setTimeout(() => this.#next(), took)
    })
  }
}

const texts = new Texts()

import { type Clock, Context, Effect } from "effect"
import { UpstreamError } from "../UpstreamError.ts"

/** Who has the turns of a call: a tenant by its project, or an administrator by the user. Jobs of the platform have "". */
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
 * Waits until the caller may parse and check a long text. The caller has to do so at once, in one piece. All other calls
 * wait meanwhile, and the author of the text chooses how long that takes: V8 parses two megabytes in two milliseconds if
 * they are one string, and in three hundred if they are names. So one text is parsed at a time. If another one waits, it
 * begins after a pause as long as the parsing took. Owners take turns.
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

/** Starts one text at a time, owner by owner. A turn ends by itself: no caller has to give it back. */
class TextQueue {
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
    // Effect scheduled the caller's work before this callback, so the work is done by now. The pause is the smaller of two
    // measured times: a test clock that stands still makes it zero.
    setImmediate(() => {
      const took = Math.min(performance.now() - begun, next.now() - now)
      if (this.#waiting.size === 0) this.#isBusy = false
      else if (took < 1) setImmediate(() => this.#next())
      else setTimeout(() => this.#next(), took)
    })
  }
}

const texts = new TextQueue()

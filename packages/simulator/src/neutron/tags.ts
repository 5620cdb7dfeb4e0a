import { Result } from "effect"
import { objectAt, stringsAt } from "../Json.ts"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { invalidInput, refuse } from "./errors.ts"
import { call, mayWrite, param, type Request, touch } from "./request.ts"
import type { Thing } from "./state.ts"

type Find = (request: Request) => Step<Thing>

const set = (request: Request, thing: Thing, tags: ReadonlyArray<string>): Step<Answer> => {
  const wrong = tags.find((_) => _ === "" || _.length > 255 || _.includes(","))
  if (wrong !== undefined)
    return invalidInput(`'${wrong}' ${wrong.length > 255 ? "exceeds maximum length of 255" : "is not a valid tag"}`)
  // Sorted, because upstream's tags are a set.
  thing.tags = [...new Set(tags)].toSorted((a, b) => (a < b ? -1 : 1))
  touch(thing, request.now)
  return Result.succeed(json(200, { tags: thing.tags }))
}

const tagNotFound = (request: Request): Step<Answer> =>
  refuse(404, "TagNotFound", `Tag ${param(request, "tag")} could not be found.`)

export const tagRoutes = (url: string, find: Find): Routes => {
  const writing = (handler: (request: Request, thing: Thing) => Step<Answer>) =>
    call((request) =>
      Result.gen(function* () {
        const thing = yield* find(request)
        yield* mayWrite(request, "update_tags")
        return yield* handler(request, thing)
      })
    )
  return {
    [`GET ${url}/:id/tags`]: call((request) => Result.map(find(request), (_) => json(200, { tags: _.tags }))),
    [`GET ${url}/:id/tags/:tag`]: call((request) =>
      Result.flatMap(find(request), (_) =>
        _.tags.includes(param(request, "tag")) ? Result.succeed(empty(204)) : tagNotFound(request)
      )
    ),
    [`PUT ${url}/:id/tags`]: writing((request, thing) => {
      const tags = stringsAt(objectAt(request.incoming.json), "tags")
      return tags === undefined ? invalidInput("Invalid tags body") : set(request, thing, tags)
    }),
    [`DELETE ${url}/:id/tags`]: writing((request, thing) => Result.map(set(request, thing, []), () => empty(204))),
    [`PUT ${url}/:id/tags/:tag`]: writing((request, thing) =>
      Result.map(set(request, thing, [...thing.tags, param(request, "tag")]), () => json(201, null))
    ),
    [`DELETE ${url}/:id/tags/:tag`]: writing((request, thing) => {
      const tag = param(request, "tag")
      if (!thing.tags.includes(tag)) return tagNotFound(request)
      const rest = thing.tags.filter((_) => _ !== tag)
      return Result.map(set(request, thing, rest), () => empty(204))
    })
  }
}

import type { Answer } from "../Wire.ts"
import type { World } from "../World.ts"
import type { Human } from "./state.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (_) => entities[_] ?? "")

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:10vh auto;padding:0 1rem}
h1{font-size:1.4rem}button,input{font:inherit;padding:.5rem .8rem}
label,button.person{display:block;width:100%;text-align:left;margin:.4rem 0;box-sizing:border-box}
small{color:#555}code{font-size:1.3em;letter-spacing:.1em}`

// A Referer would carry the code of a redirect; without one for the own origin, its forms would have the origin "null".
const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff"
}

/** A page without scripts. The body is HTML: what comes from outside is {@link escaped} in it. */
export const page = (status: number, title: string, body: string): Answer => ({
  status,
  headers,
  body:
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escaped(title)}</title><style>${style}</style><h1>${escaped(title)}</h1>${body}\n`
})

export const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`

/** Everybody who can log in, by login name. */
export const people = ({ zitadel }: World): ReadonlyArray<Human> =>
  Object.values(zitadel.users)
    .flatMap((_) => (_.type === "TYPE_HUMAN" && _.state === "USER_STATE_ACTIVE" ? [_] : []))
    .toSorted((a, b) => (a.userName < b.userName ? -1 : 1))

/** A person's name, login name and roles. */
export const described = ({ zitadel }: World, { displayName, id, userName }: Human): string => {
  const roles = Object.values(zitadel.grants)
    .filter((_) => _.userId === id && _.state === "USER_GRANT_STATE_ACTIVE")
    .flatMap((_) => _.roleKeys)
  return `${escaped(displayName)} <small>${escaped([userName, ...roles].join(" · "))}</small>`
}

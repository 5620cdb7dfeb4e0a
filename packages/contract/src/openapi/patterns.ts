import type { Spec } from "./tree.ts"

/**
 * Spells patterns without Unicode properties and code points in braces: the engines of Python, Rust and others know
 * neither, and refuse the whole pattern. Lone surrogates are left out, which no text in UTF-8 can hold.
 */
export const withPortablePatterns = (spec: Spec): Spec =>
  JSON.parse(JSON.stringify(spec), (key, value: unknown) =>
    key === "pattern" && typeof value === "string" ? portable(value) : value
  )

const portable = (pattern: string): string =>
  pattern
    .replaceAll(String.raw`[^\p{Cc}\p{Cs}\u{10000}-\u{10ffff}]`, String.raw`[ -~\u00a0-\ud7ff\ue000-\uffff]`)
    .replaceAll(String.raw`\p{Cc}\p{Cs}`, String.raw`\u0000-\u001f\u007f-\u009f`)

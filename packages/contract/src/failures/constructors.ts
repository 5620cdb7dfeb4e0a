import type { FailureRecord, Records } from "./Resource.ts"

/** The value that a failure class is constructed with, and that is sent. */
interface Body {
  readonly detail: unknown
  readonly code: string
}

type Arguments<R extends FailureRecord> = R["detail"] extends (...args: infer A) => unknown ? A : []

/** One constructor per record; its failures have only that record's code. */
type Constructors<R extends Records, Self> = {
  readonly [Name in keyof R]: (...args: Arguments<R[Name]>) => Self & { readonly code: R[Name]["code"] }
}

/** Records whose example matches the parameters of their `detail`. */
type WithExamples<R extends Records> = {
  readonly [Name in keyof R]: R[Name]["detail"] extends string
    ? unknown
    : { readonly example: Readonly<Arguments<R[Name]>> }
}

const bodyOf = ({ code, detail, more }: FailureRecord, args: ReadonlyArray<unknown>): Body => ({
  detail: typeof detail === "string" ? detail : detail(...args),
  code,
  ...more?.(...args)
})

/** The example body of the failure in the OpenAPI document. */
export const exampleOf = (record: FailureRecord): Readonly<Record<string, unknown>> => ({
  ...bodyOf(record, record.example ?? [])
})

/** Gives a class a constructor for each of its records. */
export function constructors<Class extends new (made: never) => unknown, R extends Records>(
  of: Class,
  records: R & WithExamples<R>
): Class & Constructors<R, InstanceType<Class>>
export function constructors(of: new (made: Body) => unknown, records: Records): object {
  const made =
    (record: FailureRecord) =>
    (...args: ReadonlyArray<unknown>) =>
      new of(bodyOf(record, args))
  return Object.assign(of, Object.fromEntries(Object.entries(records).map(([name, record]) => [name, made(record)])))
}

import type { Contents, Deletion, ProjectRow } from "@portico/contract/Projects"
import type { Frame } from "../../output/Frame.ts"
import { ink } from "../../output/ink.ts"
import { harmless } from "../../output/sanitize.ts"
import { widthOf } from "../../output/width.ts"
import { paragraph } from "../../output/wrap.ts"

/** What a deletion of the project destroys, and what could not be looked at. */
export const surveyText = (project: ProjectRow, { contents, unseen }: Contents, frame: Frame): string => {
  const { colors, columns } = frame
  const paint = ink(colors)
  const there = contents.filter((_) => _.count > 0)
  const { project_id, project_name, tenant_name, tier } = project
  return [
    ...paragraph(`${harmless(project_name)} (${harmless(tenant_name)}, tier ${tier}, ${project_id})`, columns),
    "",
    ...(there.length === 0
      ? ["The project is empty."]
      : [paint.bold("This would be destroyed:"), ...there.flatMap((_) => kindLines(_, columns))]),
    ...(unseen.length === 0
      ? []
      : [
          "",
          paint.yellow("This could not be looked at:"),
          ...unseen.flatMap((_) => paragraph(`${_.service}/${_.kind}: ${harmless(_.reason)}`, columns, 2))
        ])
  ].join("\n")
}

type Kind = Contents["contents"][number]

const kindLines = ({ count, first, kind, service }: Kind, columns: number): ReadonlyArray<string> => {
  const names = first.map((_) => harmless(_.name === "" ? _.id : _.name))
  return paragraph(`${String(count).padStart(5)} ${service}/${kind}${namesText(names, count, columns)}`, columns, 0)
}

/** As many names as fit in a line. */
const namesText = (names: ReadonlyArray<string>, count: number, columns: number): string => {
  const room = columns - 32
  let text = ""
  let shown = 0
  for (const name of names) {
    const longer = text === "" ? name : `${text}, ${name}`
    if (widthOf(longer) > room) break
    text = longer
    shown += 1
  }
  if (shown === 0) return ""
  return shown < count ? `: ${text} and ${count - shown} more` : `: ${text}`
}

/** Why the gateway would refuse the deletion now; empty when nothing stands in its way. */
export const guards = ({ contents }: Contents): ReadonlyArray<string> =>
  contents.flatMap(({ guarded, kind, service }) =>
    guarded.map(({ id, name, why }) => harmless(`${service}/${kind} ${name === "" ? id : name} is ${why}`))
  )

/** How a deletion ended that left the project alive. */
export const endText = ({ refusal, state }: Deletion): string =>
  refusal === null
    ? `The deletion is ${state}`
    : harmless(`The deletion was refused at ${refusal.step}: ${refusal.message}`)

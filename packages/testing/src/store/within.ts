/** The row, if it is of this project. */
export const within = <Row extends { readonly project_id: string }>(
  row: Row | undefined,
  projectId: string | undefined
): Row | undefined => (projectId === undefined || row?.project_id === projectId ? row : undefined)

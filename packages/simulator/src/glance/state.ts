export interface GlanceState {}

export const glance = (): GlanceState => ({})
